//! How often somebody may guess.

use super::{House, NOON, PASSWORD, name, proof};
use reprieve::model::{Delay, Role};
use reprieve_access::{People, SignIn, Visitor};
use std::net::{IpAddr, Ipv4Addr};

fn from(number: u32) -> Visitor<'static> {
    Visitor { address: Some(IpAddr::V4(Ipv4Addr::from(0x0a00_0000 + number))), ..Visitor::default() }
}

#[tokio::test]
async fn five_guesses_are_for_nothing_and_each_next_one_waits_twice_as_long() {
    let house = House::new().await;
    for guess in 0..6 {
        let tried = house.people().sign_in(&proof("ann", "wrong"), &from(guess)).await.unwrap();
        assert_eq!(tried, SignIn::Wrong, "{guess}");
    }
    let mut minutes = 0;
    for wait in [1, 2, 4, 8, 16, 16] {
        let people = house.people_at(NOON + Delay::minutes(minutes));
        let tried = people.sign_in(&proof("ann", PASSWORD), &from(90)).await.unwrap();
        assert_eq!(tried, SignIn::Wait(std::time::Duration::from_secs(wait * 60)), "not even the right one");
        minutes += i64::try_from(wait).unwrap();
        let people = house.people_at(NOON + Delay::minutes(minutes));
        assert_eq!(people.sign_in(&proof("Ann", "wrong"), &from(91)).await.unwrap(), SignIn::Wrong);
    }
    // Never for ever.
    let people = house.people_at(NOON + Delay::minutes(minutes + 16));
    assert!(matches!(people.sign_in(&proof("ann", PASSWORD), &from(92)).await.unwrap(), SignIn::In(_)));
}

#[tokio::test]
async fn ten_thousand_guesses_from_fifty_addresses_are_fewer_than_a_hundred_a_day() {
    let house = House::new().await;
    let mut looked_at = 0;
    for guess in 0..10_000_u32 {
        // Spread over the day; any of three instances has the same counters, as they are Redis's.
        let people = house.people_at(NOON + Delay::millis(i64::from(guess) * 8_640));
        let tried = people.sign_in(&proof("ann", "wrong"), &from(guess % 50)).await.unwrap();
        looked_at += u32::from(tried == SignIn::Wrong);
    }
    assert!((50..=100).contains(&looked_at), "{looked_at} were looked at");
}

#[tokio::test]
async fn guesses_at_the_same_time_are_counted_before_they_are_looked_at() {
    let house = House::new().await;
    let tries = (0..40).map(|_| {
        let people = house.people();
        tokio::spawn(async move { people.sign_in(&proof("ann", "wrong"), &from(1)).await.unwrap() })
    });
    let mut waits = 0;
    for one in tries.collect::<Vec<_>>() {
        waits += u32::from(matches!(one.await.unwrap(), SignIn::Wait(_)));
    }
    assert_eq!(waits, 34);
}

#[tokio::test]
async fn what_was_not_looked_at_is_no_guess() {
    let house = House::new().await;
    let known = house.enter("ann").await;
    let guesses = async || {
        let all = house.redis.snapshot().await;
        all.iter()
            .filter(|(key, _)| key.starts_with("guesses:"))
            .map(|kept| format!("{kept:?}"))
            .collect::<Vec<_>>()
    };
    for guess in 0..3 {
        let _ = house.people().sign_in(&proof("ann", "wrong"), &from(guess)).await.unwrap();
    }
    assert!(!house.people().change_password(&name("ann"), "wrong", "another long one", "").await.unwrap());
    let before = guesses().await;
    // What is known of people cannot be read.
    let (people, away) =
        (format!("{}people", house.redis.prefix()), format!("{}people-away", house.redis.prefix()));
    house.redis.command(&["RENAME", &people, &away]).await.unwrap();
    house.redis.command(&["SET", &people, "damaged"]).await.unwrap();
    let at_home = Visitor { device: &known.device, ..from(2) };
    for _ in 0..8 {
        assert!(house.people().sign_in(&proof("ann", PASSWORD), &from(2)).await.is_err());
        assert!(house.people().sign_in(&proof("ann", PASSWORD), &at_home).await.is_err());
        assert!(house.people().sign_in(&proof("bob", "wrong"), &from(9)).await.is_err());
        let changed = house.people().change_password(&name("ann"), PASSWORD, "another long one", "").await;
        assert!(changed.is_err());
    }
    house.redis.command(&["DEL", &people]).await.unwrap();
    house.redis.command(&["RENAME", &away, &people]).await.unwrap();

    assert_eq!(guesses().await, before, "the wrong ones stay counted, and no others are");
    assert!(matches!(
        house.people().sign_in(&proof("ann", PASSWORD), &from(2)).await.unwrap(),
        SignIn::In(_)
    ));
}

#[tokio::test]
async fn the_owner_gets_in_from_a_known_browser_while_others_guess() {
    let house = House::new().await;
    let known = house.enter("ann").await;
    for guess in 0..8 {
        let _ = house.people().sign_in(&proof("ann", "wrong"), &from(guess)).await.unwrap();
    }
    let stranger = house.people().sign_in(&proof("ann", PASSWORD), &from(90)).await.unwrap();
    assert!(matches!(stranger, SignIn::Wait(_)));
    house.enter_from("ann", &Visitor { device: &known.device, ..from(91) }).await;
    // A visitor who guesses from elsewhere gets no fresh start by that, not even when their wait is over.
    let stranger = house.people().sign_in(&proof("ann", PASSWORD), &from(90)).await.unwrap();
    assert!(matches!(stranger, SignIn::Wait(_)), "{stranger:?}");
    let later = house.people_at(NOON + Delay::minutes(1));
    assert_eq!(later.sign_in(&proof("ann", "wrong"), &from(92)).await.unwrap(), SignIn::Wrong);
    let stranger = later.sign_in(&proof("ann", PASSWORD), &from(93)).await.unwrap();
    assert_eq!(stranger, SignIn::Wait(std::time::Duration::from_secs(120)));
    // It is known for ann alone.
    house.add("bob", Role::Viewer).await;
    for guess in 0..6 {
        let from = Visitor { device: &known.device, ..from(guess + 20) };
        let _ = house.people().sign_in(&proof("bob", "wrong"), &from).await.unwrap();
    }
    let from = Visitor { device: &known.device, ..from(40) };
    assert!(matches!(house.people().sign_in(&proof("bob", PASSWORD), &from).await.unwrap(), SignIn::Wait(_)));
}

#[tokio::test]
async fn what_the_owner_got_wrong_at_a_known_browser_is_forgotten_once_they_get_it_right() {
    let house = House::new().await;
    let known = house.enter("ann").await;
    for round in 0..3 {
        let at_home = Visitor { device: &known.device, ..from(round) };
        for guess in 0..5 {
            let tried = house.people().sign_in(&proof("ann", "wrong"), &at_home).await.unwrap();
            assert_eq!(tried, SignIn::Wrong, "{round} {guess}");
        }
        house.enter_from("ann", &at_home).await;
    }
    let kept = house.redis.snapshot().await;
    assert!(!kept.iter().any(|(key, _)| key.starts_with("guesses:device:")), "{kept:?}");
}

#[tokio::test]
async fn one_address_cannot_try_many_names() {
    let house = House::new().await;
    for guess in 0..21 {
        let who = format!("person{guess}");
        let tried = house.people().sign_in(&proof(&who, "wrong"), &from(1)).await.unwrap();
        assert_eq!(tried, SignIn::Wrong, "an unknown name is answered like a known one");
    }
    assert!(matches!(
        house.people().sign_in(&proof("ann", PASSWORD), &from(1)).await.unwrap(),
        SignIn::Wait(_)
    ));
    assert!(matches!(
        house.people().sign_in(&proof("ann", PASSWORD), &from(2)).await.unwrap(),
        SignIn::In(_)
    ));
}

#[tokio::test]
async fn an_office_that_signs_in_from_one_address_has_guessed_at_nothing() {
    let house = House::new().await;
    for person in 0..60 {
        house.enter_from("ann", &from(1)).await;
        assert!(house.audit().await.len() > person, "she was in");
    }
    // What others guess there is counted all the same.
    for guess in 0..21 {
        let who = format!("person{guess}");
        assert_eq!(house.people().sign_in(&proof(&who, "wrong"), &from(1)).await.unwrap(), SignIn::Wrong);
    }
    let next = house.people().sign_in(&proof("person21", "wrong"), &from(1)).await.unwrap();
    assert!(matches!(next, SignIn::Wait(_)));
}

#[tokio::test]
async fn a_person_with_an_account_guesses_at_others_no_faster_for_signing_in_between() {
    let house = House::new().await;
    let (mut looked_at, mut minute) = (0, 0);
    while minute < 6 * 60 {
        let people = house.people_at(NOON + Delay::minutes(minute));
        let own = people.sign_in(&proof("ann", PASSWORD), &from(1)).await.unwrap();
        let who = format!("person{minute}");
        let tried = people.sign_in(&proof(&who, "wrong"), &from(1)).await.unwrap();
        looked_at += u32::from(tried == SignIn::Wrong);
        // A good guess is no obstacle to further ones, and no help.
        assert!(matches!(own, SignIn::In(_)) || matches!(tried, SignIn::Wait(_)), "{minute}: {tried:?}");
        minute += 1;
    }
    // Twenty for nothing, and then one each quarter of an hour.
    assert!((40..=50).contains(&looked_at), "{looked_at} were looked at");
}

#[tokio::test]
async fn what_somebody_may_do_in_a_span_is_counted_over_all_instances() {
    let house = House::new().await;
    let hour = std::time::Duration::from_secs(3_600);
    for _ in 0..5 {
        assert_eq!(house.people().spend("export", "ann", 5, hour).await.unwrap(), None);
    }
    let other = People::new(&house.redis.engine().at(NOON + Delay::minutes(20)));
    assert_eq!(
        other.spend("export", "ann", 5, hour).await.unwrap(),
        Some(std::time::Duration::from_secs(40 * 60))
    );
    assert_eq!(other.spend("export", "bob", 5, hour).await.unwrap(), None);
    assert_eq!(house.people_at(NOON + Delay::hours(1)).spend("export", "ann", 5, hour).await.unwrap(), None);
}

#[tokio::test]
async fn refusals_stand_in_the_audit_but_a_storm_of_them_does_not_fill_it() {
    let house = House::new().await;
    let before = house.audit().await.len();
    for _ in 0..50 {
        house.people().denied("bob", "purge_job", "job-1", "jobs.purge").await.unwrap();
    }
    let audit = house.audit().await;
    assert_eq!(audit.len() - before, 30);
    assert_eq!(audit.last().unwrap(), "bob purge_job job-1");
    assert!(house.people().sessions(&name("bob")).await.unwrap().is_empty());
}

#[tokio::test]
async fn that_a_name_has_to_wait_stands_in_the_audit_once_for_each_wait() {
    let house = House::new().await;
    let denials = async || {
        let audit = house.audit().await;
        audit.into_iter().filter(|entry| entry.starts_with("nobody ")).collect::<Vec<_>>()
    };
    for guess in 0..5 {
        let _ = house.people().sign_in(&proof("ann", "wrong"), &from(guess)).await.unwrap();
    }
    assert!(denials().await.is_empty(), "five are for nothing");
    for guess in 5..9 {
        let _ = house.people().sign_in(&proof("Ann", "wrong"), &from(guess)).await.unwrap();
    }
    assert_eq!(denials().await, ["nobody sign_in ann"], "one begins a wait, and the others wait");
    let later = house.people_at(NOON + Delay::minutes(1));
    let _ = later.sign_in(&proof("ann", "wrong"), &from(10)).await.unwrap();
    assert_eq!(denials().await.len(), 2);
    // A right password begins no wait, and what is no name is not repeated.
    house.people_at(NOON + Delay::minutes(3)).sign_in(&proof("ann", PASSWORD), &from(11)).await.unwrap();
    assert_eq!(denials().await.len(), 2);
    for guess in 20..26 {
        let _ = house.people().sign_in(&proof("No Name", "wrong"), &from(guess)).await.unwrap();
    }
    assert_eq!(denials().await.last().unwrap(), "nobody sign_in ");
}

#[tokio::test]
async fn a_minute_of_refusals_ends_while_they_go_on() {
    let house = House::new().await;
    let denied = async || house.people().denied("bob", "purge_job", "job-1", "jobs.purge").await.unwrap();
    denied().await;
    let all = house.redis.snapshot().await;
    let (key, _) = all.iter().find(|(key, _)| key.starts_with("denied:")).unwrap();
    let key = format!("{}{key}", house.redis.prefix());
    let left = async || -> i64 {
        redis::from_redis_value(house.redis.command(&["PTTL", &key]).await.unwrap()).unwrap()
    };
    assert!((1..=60_000).contains(&left().await), "it begins with the first");

    // As if half of it were over.
    house.redis.command(&["PEXPIRE", &key, "30000"]).await.unwrap();
    denied().await;

    assert!((1..=30_000).contains(&left().await), "it does not begin anew");
}
