//! Sessions: new ids, their ends, and what holds for them at once.

use super::{House, NOON, PASSWORD, name, proof};
use reprieve::model::{Delay, Role};
use reprieve_access::{SignIn, Visitor};

#[tokio::test]
async fn a_session_says_who_somebody_is_and_what_they_may_do_now() {
    let house = House::new().await;
    house.add("bob", Role::Support).await;
    let bob = house.enter("bob").await;
    let signed = house.people().session(&bob.session, true).await.unwrap().unwrap();
    assert_eq!((signed.name.as_str(), signed.role), ("bob", Role::Support));
    assert_eq!(signed.ends, NOON + Delay::hours(8));

    // A change of role ends it: the next one has another id.
    house.people().set_role(&name("bob"), Role::Viewer, &[], "ann", "").await.unwrap();
    assert_eq!(house.people().session(&bob.session, true).await.unwrap(), None);
    let again = house.enter("bob").await;
    assert_ne!(again.session, bob.session);
    let signed = house.people().session(&again.session, true).await.unwrap().unwrap();
    assert_eq!(signed.role, Role::Viewer);
}

#[tokio::test]
async fn a_planted_id_opens_nothing_and_the_one_before_ends() {
    let house = House::new().await;
    let planted = "0".repeat(64);
    let from = Visitor { session: &planted, ..Visitor::default() };
    let first = house.enter_from("ann", &from).await;
    assert_ne!(first.session, planted);
    assert_eq!(house.people().session(&planted, true).await.unwrap(), None);

    let from = Visitor { session: &first.session, ..Visitor::default() };
    let second = house.enter_from("ann", &from).await;
    assert_eq!(house.people().session(&first.session, true).await.unwrap(), None, "the old one is dead");
    assert!(house.people().session(&second.session, true).await.unwrap().is_some());
}

#[tokio::test]
async fn showing_the_id_of_another_person_does_not_end_their_session() {
    let house = House::new().await;
    house.add("bob", Role::Viewer).await;
    let ann = house.enter("ann").await;
    house.enter_from("bob", &Visitor { session: &ann.session, ..Visitor::default() }).await;
    assert!(house.people().session(&ann.session, true).await.unwrap().is_some());
}

#[tokio::test]
async fn a_session_ends_when_it_is_idle_and_at_the_end_of_the_day() {
    let house = House::new().await;
    let ann = house.enter("ann").await;
    let alive = async |minutes: i64, uses: bool| {
        let people = house.people_at(NOON + Delay::minutes(minutes));
        people.session(&ann.session, uses).await.unwrap().is_some()
    };
    assert!(alive(29, false).await, "a page that listens is no use");
    assert!(!alive(30, true).await);
    assert!(alive(29, true).await);
    assert!(alive(58, true).await, "it was used at 29");
    assert!(!alive(89, true).await);
    for minutes in (80..480).step_by(20) {
        assert!(alive(minutes, true).await, "{minutes}");
    }
    assert!(!alive(480, true).await, "eight hours are over");
}

#[tokio::test]
async fn a_session_is_kept_as_its_hash() {
    let house = House::new().await;
    let ann = house.enter("ann").await;
    let everything = format!("{:?}", house.redis.snapshot().await);
    assert!(!everything.contains(&ann.session), "{everything}");
    assert!(!everything.contains(&ann.device));
    assert!(!everything.contains(PASSWORD));
    for other in ["", "x", &ann.session[1..], &format!("{}0", ann.session), &ann.session.replace('a', "b")] {
        if other != ann.session {
            assert_eq!(house.people().session(other, true).await.unwrap(), None, "{other}");
        }
    }
}

#[tokio::test]
async fn sessions_are_listed_and_ended_one_by_one_or_all_but_one() {
    let house = House::new().await;
    let mut opened = Vec::new();
    for agent in ["Firefox", "Chromium\n\u{1b}[31m", "curl"] {
        opened.push(house.enter_from("ann", &Visitor { agent, ..Visitor::default() }).await);
    }
    let people = house.people();
    let listed = people.sessions(&name("ann")).await.unwrap();
    assert_eq!(listed.len(), 3);
    assert!(listed.iter().all(|session| !session.agent.contains(char::is_control)));
    let curl = listed.iter().find(|session| session.agent == "curl").unwrap();
    assert_eq!(people.end_sessions(&name("ann"), &curl.id, None, "ann", "").await.unwrap(), 1);
    assert!(people.session(&opened[2].session, true).await.unwrap().is_none());
    assert_eq!(people.end_sessions(&name("ann"), "", Some(&opened[0].session), "ann", "").await.unwrap(), 1);
    assert!(people.session(&opened[0].session, true).await.unwrap().is_some());
    people.sign_out(&opened[0].session).await.unwrap();
    assert!(people.session(&opened[0].session, true).await.unwrap().is_none());
}

#[tokio::test]
async fn a_person_has_twenty_sessions_at_most() {
    let house = House::new().await;
    let mut first = None;
    for minute in 0..21 {
        let people = house.people_at(NOON + Delay::minutes(minute));
        let SignIn::In(opened) = people.sign_in(&proof("ann", PASSWORD), &Visitor::default()).await.unwrap()
        else {
            panic!("not in")
        };
        first.get_or_insert(opened);
    }
    assert_eq!(house.people_at(NOON + Delay::minutes(21)).sessions(&name("ann")).await.unwrap().len(), 20);
    assert!(
        house.people().session(&first.unwrap().session, false).await.unwrap().is_none(),
        "the idlest made room"
    );
}

#[tokio::test]
async fn a_person_who_is_disabled_is_out_and_stays_out() {
    let house = House::new().await;
    house.add("bob", Role::Operator).await;
    let bob = house.enter("bob").await;
    house.people().set_disabled(&name("bob"), true, "ann", "left").await.unwrap();
    assert!(house.people().session(&bob.session, true).await.unwrap().is_none());
    let tried = house.people().sign_in(&proof("bob", PASSWORD), &Visitor::default()).await.unwrap();
    assert_eq!(tried, SignIn::Wrong);
    house.people().set_disabled(&name("bob"), false, "ann", "").await.unwrap();
    house.enter("bob").await;
}
