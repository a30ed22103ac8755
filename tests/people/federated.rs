//! People for whom a provider vouches.

use super::{House, NOON, name, proof};
use reprieve::model::{Delay, QueueName, Role, Timestamp};
use reprieve_access::{Admission, FederatedLogin, Opened, People, SignIn, Visitor};

const EVE: &str = "https://login.example eve-0815";

impl House {
    async fn admit(&self, subject: &str, who: &str, role: Role, queues: &[QueueName]) -> Admission {
        let who = name(who);
        let federated =
            FederatedLogin { subject, name: &who, role, queues, why: "group x", proved: Some(NOON) };
        self.people().admit(&federated, &Visitor::default()).await.unwrap()
    }

    async fn admitted(&self, subject: &str, who: &str, role: Role) -> Opened {
        match self.admit(subject, who, role, &[]).await {
            Admission::In(opened) => opened,
            other => panic!("{who} is not in: {other:?}"),
        }
    }

    async fn lives(&self, opened: &Opened) -> bool {
        self.people().session(&opened.session, true).await.unwrap().is_some()
    }
}

#[tokio::test]
async fn a_federated_person_is_added_once_and_is_what_the_provider_says() {
    let house = House::new().await;
    let first = house.admitted(EVE, "eve", Role::Operator).await;
    let second = house.admitted(EVE, "eve", Role::Operator).await;
    assert!(house.lives(&first).await && house.lives(&second).await, "nothing has changed between the two");

    // Less than before, and under another name there: the same person here, and nothing of before goes on.
    let third = house.admitted(EVE, "boss", Role::Viewer).await;
    assert!(!house.lives(&first).await && !house.lives(&second).await);
    let signed = house.people().session(&third.session, true).await.unwrap().unwrap();
    assert_eq!((signed.name.as_str(), signed.role), ("eve", Role::Viewer));

    let Admission::In(fourth) = house.admit(EVE, "eve", Role::Viewer, &["mail".parse().unwrap()]).await
    else {
        panic!("not in")
    };
    assert!(!house.lives(&third).await, "fewer queues are less");
    let signed = house.people().session(&fourth.session, true).await.unwrap().unwrap();
    assert_eq!(signed.queues, ["mail".parse().unwrap()]);
    assert_eq!(house.people().list().await.unwrap().len(), 2);
    assert_eq!(
        house.audit().await[1..],
        [
            "provider add_person eve",
            "eve sign_in eve",
            "eve sign_in eve",
            "provider set_role eve",
            "eve sign_in eve",
            "provider set_role eve",
            "eve sign_in eve",
        ]
    );
}

#[tokio::test]
async fn nobody_becomes_somebody_else_by_taking_their_name() {
    let house = House::new().await;
    assert_eq!(house.admit(EVE, "ann", Role::Viewer, &[]).await, Admission::Taken);
    house.admitted(EVE, "eve", Role::Viewer).await;
    for subject in ["https://login.example other", "https://evil.example eve-0815", "eve"] {
        assert_eq!(house.admit(subject, "eve", Role::Admin, &[]).await, Admission::Taken, "{subject}");
    }
    let eve = house.people().get(&name("eve")).await.unwrap().unwrap();
    assert_eq!((eve.role, eve.federated, eve.has_password), (Role::Viewer, true, false));
    // Nor a program.
    for program in ["provider", "cli", "bulk"] {
        let admission = house.admit("https://login.example another", program, Role::Support, &[]).await;
        assert_eq!(admission, Admission::Taken, "{program}");
        assert!(house.people().get(&name(program)).await.unwrap().is_none(), "{program}");
    }
}

#[tokio::test]
async fn they_have_no_password_here_and_get_none() {
    let house = House::new().await;
    house.admitted(EVE, "eve", Role::Admin).await;
    let refused = house.people().invite(&name("eve"), "ann").await.unwrap_err();
    assert_eq!(People::refusal(&refused), Some("federated"));
    for password in ["", "correct horse battery"] {
        let signed = house.people().sign_in(&proof("eve", password), &Visitor::default()).await.unwrap();
        assert_eq!(signed, SignIn::Wrong);
    }
    // Whom only a provider makes an admin does not count as the one who decides here.
    let last = house.people().set_role(&name("ann"), Role::Viewer, &[], "eve", "").await.unwrap_err();
    assert_eq!(People::refusal(&last), Some("last_admin"));
}

#[tokio::test]
async fn who_is_kept_out_here_stays_out_and_who_is_turned_away_is_out_at_once() {
    let house = House::new().await;
    let eve = house.admitted(EVE, "eve", Role::Support).await;
    assert_eq!(house.people().turn_away(EVE, "no group").await.unwrap(), Some(name("eve")));
    assert!(!house.lives(&eve).await);
    assert_eq!(house.people().turn_away("nobody", "no group").await.unwrap(), None);

    house.people().set_disabled(&name("eve"), true, "ann", "").await.unwrap();
    assert_eq!(house.admit(EVE, "eve", Role::Admin, &[]).await, Admission::Disabled);
    let kept = house.people().get(&name("eve")).await.unwrap().unwrap();
    assert_eq!(kept.role, Role::Support, "nothing is changed of whom we keep out");
}

#[tokio::test]
async fn a_proof_is_as_old_as_the_provider_says() {
    let house = House::new().await;
    let who = name("eve");
    let hour_ago = Timestamp::saturating_from_millis(NOON.as_millis() - 3_600_000);
    for (proved, expected) in
        [(None, Timestamp::EPOCH), (Some(hour_ago), hour_ago), (Some(NOON + Delay::hours(1)), NOON)]
    {
        let federated =
            FederatedLogin { subject: EVE, name: &who, role: Role::Viewer, queues: &[], why: "", proved };
        let Admission::In(opened) = house.people().admit(&federated, &Visitor::default()).await.unwrap()
        else {
            panic!("not in")
        };
        let signed = house.people().session(&opened.session, true).await.unwrap().unwrap();
        assert_eq!(signed.proved, expected);
    }
}
