//! Accounts: how they begin, what changes them, and what never may.

use super::{House, NOON, PASSWORD, name, proof};
use reprieve::Error;
use reprieve::model::{Delay, Namespace, Role};
use reprieve::testing::{RedisServer, TestRedis};
use reprieve_access::{People, Proof, SignIn, Visitor};

#[tokio::test]
async fn there_is_nobody_before_the_first_and_the_first_is_an_admin() {
    let redis = TestRedis::namespace().await;
    let people = People::new(redis.engine());
    assert!(people.is_empty().await.unwrap());
    for (who, password) in [("admin", "admin"), ("root", ""), ("reprieve", "reprieve")] {
        let tried = people.sign_in(&proof(who, password), &Visitor::default()).await.unwrap();
        assert_eq!(tried, SignIn::Wrong, "there is no account to begin with");
    }
    people.found(&name("ann"), PASSWORD).await.unwrap();
    assert!(people.found(&name("eve"), PASSWORD).await.is_err(), "there is somebody now");
    let ann = people.get(&name("ann")).await.unwrap().unwrap();
    assert_eq!((ann.role, ann.has_password, ann.has_second_factor), (Role::Admin, true, false));
}

#[tokio::test]
async fn an_invitation_is_good_once_and_for_a_day() {
    let house = House::new().await;
    let people = house.people();
    let invited = people.add(&name("bob"), Role::Support, &["mail".parse().unwrap()], "ann").await.unwrap();
    assert!(people.add(&name("bob"), Role::Admin, &[], "ann").await.is_err(), "the name is taken");
    let from = Visitor::default();
    let accept = async |secret: &str, hours: i64| {
        house.people_at(NOON + Delay::hours(hours)).accept("bob", secret, PASSWORD, &from).await.unwrap()
    };
    assert_eq!(accept("wrong", 0).await, SignIn::Wrong);
    assert_eq!(accept("", 0).await, SignIn::Wrong);
    assert_eq!(accept(&invited.secret, 24).await, SignIn::Wrong);
    assert!(people.accept("bob", &invited.secret, "short", &from).await.is_err());
    assert!(matches!(accept(&invited.secret, 0).await, SignIn::In(_)));
    assert_eq!(accept(&invited.secret, 0).await, SignIn::Wrong, "used up");
    let bob = people.get(&name("bob")).await.unwrap().unwrap();
    assert_eq!((bob.role, bob.queues.len(), bob.by.as_str()), (Role::Support, 1, "ann"));
}

#[tokio::test]
async fn nobody_is_called_what_programs_are_called() {
    let house = House::new().await;
    let before = house.audit().await;
    for program in ["cli", "provider", "janitor", "bulk", "reprieve", "api", "nobody", "cron", "client"] {
        let refused = house.people().add(&name(program), Role::Admin, &[], "ann").await.unwrap_err();
        assert_eq!(People::refusal(&refused), Some("taken"), "{program}");
        let first = TestRedis::namespace().await;
        let people = People::new(first.engine());
        assert!(people.found(&name(program), PASSWORD).await.is_err(), "{program}");
        assert!(people.is_empty().await.unwrap(), "{program}");
    }
    assert_eq!(house.people().list().await.unwrap().len(), 1);
    assert_eq!(house.audit().await, before);
    // A person who is only called like one is no program.
    house.people().add(&name("cli.ann"), Role::Viewer, &[], "ann").await.unwrap();
}

#[tokio::test]
async fn the_last_admin_stays_one() {
    let house = House::new().await;
    let people = house.people();
    let ann = name("ann");
    assert!(people.set_role(&ann, Role::Viewer, &[], "ann", "").await.is_err());
    assert!(people.set_disabled(&ann, true, "ann", "").await.is_err());
    assert!(people.remove(&ann, "ann", "").await.is_err());
    // Somebody invited who never came decides nothing.
    people.add(&name("eve"), Role::Admin, &[], "ann").await.unwrap();
    assert!(people.remove(&ann, "ann", "").await.is_err());
    house.add("bob", Role::Admin).await;
    people.set_role(&ann, Role::Viewer, &[], "bob", "").await.unwrap();
    assert!(people.remove(&name("bob"), "bob", "").await.is_err());
    people.remove(&ann, "bob", "").await.unwrap();
    assert!(people.get(&ann).await.unwrap().is_none());
}

#[tokio::test]
async fn an_admin_of_some_queues_is_not_the_last_who_decides() {
    let house = House::new().await;
    let people = house.people();
    let (ann, bob, mail) = (name("ann"), name("bob"), "mail".parse().unwrap());
    house.add("bob", Role::Admin).await;
    people.set_role(&bob, Role::Admin, std::slice::from_ref(&mail), "ann", "").await.unwrap();
    for refused in [
        people.remove(&ann, "ann", "").await,
        people.set_disabled(&ann, true, "ann", "").await,
        people.set_role(&ann, Role::Admin, &[mail], "ann", "").await,
    ] {
        assert_eq!(People::refusal(&refused.unwrap_err()), Some("last_admin"));
    }
    people.remove(&bob, "ann", "").await.unwrap();
}

#[tokio::test]
async fn nobody_raises_themselves() {
    let house = House::new().await;
    let people = house.people();
    let (bob, mail) = (name("bob"), "mail".parse().unwrap());
    house.add("bob", Role::Operator).await;
    people.set_role(&bob, Role::Operator, std::slice::from_ref(&mail), "ann", "").await.unwrap();
    assert!(people.set_role(&bob, Role::Admin, std::slice::from_ref(&mail), "bob", "").await.is_err());
    assert!(people.set_role(&bob, Role::Operator, &[], "bob", "").await.is_err(), "nor into other queues");
    people.set_role(&bob, Role::Support, &[mail], "bob", "less is fine").await.unwrap();
}

#[tokio::test]
async fn a_new_password_needs_the_old_one_and_ends_other_sessions() {
    let house = House::new().await;
    let (here, there) = (house.enter("ann").await, house.enter("ann").await);
    let people = house.people();
    let ann = name("ann");
    assert!(!people.change_password(&ann, "wrong", "another long one", &here.session).await.unwrap());
    assert!(people.change_password(&ann, PASSWORD, "short", &here.session).await.is_err());
    assert!(people.change_password(&ann, PASSWORD, "another long one", &here.session).await.unwrap());
    assert!(people.session(&here.session, true).await.unwrap().is_some());
    assert!(people.session(&there.session, true).await.unwrap().is_none());
    assert_eq!(people.sign_in(&proof("ann", PASSWORD), &Visitor::default()).await.unwrap(), SignIn::Wrong);
    let tried = people.sign_in(&proof("ann", "another long one"), &Visitor::default()).await.unwrap();
    assert!(matches!(tried, SignIn::In(_)));
}

#[tokio::test]
async fn a_second_factor_is_asked_for_and_each_code_is_good_once() {
    let house = House::new().await;
    let people = house.people();
    let ann = name("ann");
    assert_eq!(people.begin_second_factor(&ann, "wrong").await.unwrap(), None);
    assert_eq!(people.pending_second_factor(&ann).await.unwrap(), None);
    let told = people.begin_second_factor(&ann, PASSWORD).await.unwrap().unwrap();
    assert_eq!(people.pending_second_factor(&ann).await.unwrap(), Some(told.clone()));
    assert!(matches!(
        people.sign_in(&proof("ann", PASSWORD), &Visitor::default()).await.unwrap(),
        SignIn::In(_)
    ));
    assert_eq!(people.confirm_second_factor(&ann, "000000").await.unwrap(), None);
    let code = |minutes: i64| code_of(&told.secret, NOON + Delay::minutes(minutes));
    let recovery = people.confirm_second_factor(&ann, &code(0)).await.unwrap().unwrap();

    let enter = async |code: &str, minutes: i64| {
        let people = house.people_at(NOON + Delay::minutes(minutes));
        let proof = Proof { name: "ann", password: PASSWORD, code };
        matches!(people.sign_in(&proof, &Visitor::default()).await.unwrap(), SignIn::In(_))
    };
    assert!(!enter("", 0).await);
    assert!(!enter(&code(0), 0).await, "it was used to set it up");
    assert!(enter(&code(5), 5).await);
    assert!(!enter(&code(5), 5).await, "a code that was seen is worth nothing");
    assert!(enter(&recovery[0], 6).await);
    assert!(!enter(&recovery[0], 6).await);
    let info = people.get(&ann).await.unwrap().unwrap();
    assert_eq!((info.has_second_factor, info.recovery_codes), (true, 9));

    let again = people.begin_second_factor(&ann, PASSWORD).await.unwrap_err();
    assert_eq!(People::refusal(&again), Some("has_factor"), "one is not put in place of another");
    assert!(people.confirm_second_factor(&ann, &code(8)).await.is_err());
    assert!(!people.drop_second_factor(&ann, "wrong").await.unwrap());
    assert!(people.drop_second_factor(&ann, PASSWORD).await.unwrap());
    assert!(enter("", 7).await);
}

#[tokio::test]
async fn on_a_full_redis_a_second_factor_lets_in_and_each_code_is_good_once() {
    let server = RedisServer::start().unwrap();
    let house = House::on(TestRedis::on(server.url(), Namespace::default()).await).await;
    let (people, ann) = (house.people(), name("ann"));
    let told = people.begin_second_factor(&ann, PASSWORD).await.unwrap().unwrap();
    let code = |minutes: i64| code_of(&told.secret, NOON + Delay::minutes(minutes));
    let recovery = people.confirm_second_factor(&ann, &code(0)).await.unwrap().unwrap();
    house.redis.command(&["CONFIG", "SET", "maxmemory", "1"]).await.unwrap();

    let enter = async |code: &str, minutes: i64| {
        let people = house.people_at(NOON + Delay::minutes(minutes));
        let proof = Proof { name: "ann", password: PASSWORD, code };
        matches!(people.sign_in(&proof, &Visitor::default()).await.unwrap(), SignIn::In(_))
    };
    for good in [&code(5), &recovery[0]] {
        assert!(enter(good, 5).await);
        assert!(!enter(good, 5).await, "a code that was used is worth nothing");
    }

    let grows = people.choose_language(&ann, "zh-CN").await.unwrap_err();
    assert_eq!(grows, Error::StorageFull, "what is no sign-in waits");
    let audit = house.audit().await;
    let twice = ["ann use_second_factor ann", "ann sign_in ann"].repeat(2);
    assert_eq!(audit[audit.len() - twice.len()..], twice);
}

#[tokio::test]
async fn a_code_that_is_shown_twice_at_once_opens_one_session() {
    let house = House::new().await;
    let ann = name("ann");
    let told = house.people().begin_second_factor(&ann, PASSWORD).await.unwrap().unwrap();
    house.people().confirm_second_factor(&ann, &code_of(&told.secret, NOON)).await.unwrap().unwrap();
    let later = NOON + Delay::minutes(5);
    let (people, code) = (house.people_at(later), code_of(&told.secret, later));
    let proof = Proof { name: "ann", password: PASSWORD, code: &code };
    let from = Visitor::default();

    let (one, other) = tokio::join!(people.sign_in(&proof, &from), people.sign_in(&proof, &from));

    let opened = [one, other].map(|tried| matches!(tried.unwrap(), SignIn::In(_)));
    assert_eq!(opened.iter().filter(|&&is_in| is_in).count(), 1);
}

#[tokio::test]
async fn every_change_stands_in_the_audit() {
    let house = House::new().await;
    let people = house.people();
    house.add("bob", Role::Viewer).await;
    people.set_role(&name("bob"), Role::Support, &[], "ann", "promoted").await.unwrap();
    people.set_disabled(&name("bob"), true, "ann", "").await.unwrap();
    people.remove(&name("bob"), "ann", "").await.unwrap();
    assert_eq!(
        house.audit().await,
        [
            "ann add_person ann",
            "ann add_person bob",
            "bob accept_invitation bob",
            "bob sign_in bob",
            "ann set_role bob",
            "ann disable_person bob",
            "ann remove_person bob",
        ]
    );
}

/// What an app shows at that time.
fn code_of(secret: &str, at: reprieve::model::Timestamp) -> String {
    let secret = totp_rs::Secret::try_from_base32(secret).unwrap();
    let seconds = u64::try_from(at.as_millis() / 1_000).unwrap();
    totp_rs::Builder::new().with_secret(secret).build().unwrap().generate(seconds).to_string()
}
