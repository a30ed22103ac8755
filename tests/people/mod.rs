//! People who sign in: proofs, sessions, invitations, and who may become what.

mod accounts;
mod bulk;
mod federated;
mod guesses;
mod second_person;
mod sessions;

use reprieve::model::{PersonName, Role, Timestamp};
use reprieve::testing::TestRedis;
use reprieve_access::{Opened, People, Proof, SignIn, Visitor, make_cheap_hashes};

const PASSWORD: &str = "correct horse battery";

/// 2026-03-01, 12:00 UTC: real enough for second factors.
const NOON: Timestamp = Timestamp::saturating_from_millis(1_772_366_400_000);

struct House {
    redis: TestRedis,
}

impl House {
    /// With ann, who is an admin.
    async fn new() -> Self {
        Self::on(TestRedis::namespace().await).await
    }

    /// The same there.
    async fn on(redis: TestRedis) -> Self {
        make_cheap_hashes();
        let house = Self { redis };
        house.people().found(&name("ann"), PASSWORD).await.unwrap();
        house
    }

    fn people(&self) -> People {
        self.people_at(NOON)
    }

    fn people_at(&self, time: Timestamp) -> People {
        People::new(&self.redis.engine().at(time))
    }

    /// Adds somebody with the usual password.
    async fn add(&self, who: &str, role: Role) {
        let invitation = self.people().add(&name(who), role, &[], "ann").await.unwrap();
        let from = Visitor::default();
        let signed = self.people().accept(who, &invitation.secret, PASSWORD, &from).await.unwrap();
        assert!(matches!(signed, SignIn::In(_)));
    }

    async fn enter(&self, who: &str) -> Opened {
        self.enter_from(who, &Visitor::default()).await
    }

    async fn enter_from(&self, who: &str, from: &Visitor<'_>) -> Opened {
        match self.people().sign_in(&proof(who, PASSWORD), from).await.unwrap() {
            SignIn::In(opened) => opened,
            other => panic!("{who} is not in: {other:?}"),
        }
    }

    /// Verbs of the audit with their outcome, oldest first.
    async fn audit(&self) -> Vec<String> {
        let key = format!("{}audit", self.redis.prefix());
        let reply = self.redis.command(&["XRANGE", &key, "-", "+"]).await.unwrap();
        let entries: Vec<(String, Vec<String>)> = redis::from_redis_value(reply).unwrap();
        let field = |entry: &[String], name: &str| {
            let at = entry.iter().position(|text| text == name).unwrap();
            entry[at + 1].clone()
        };
        entries
            .iter()
            .map(|(_, entry)| {
                format!("{} {} {}", field(entry, "by"), field(entry, "verb"), field(entry, "target"))
            })
            .collect()
    }
}

fn name(text: &str) -> PersonName {
    text.parse().unwrap()
}

fn proof<'a>(name: &'a str, password: &'a str) -> Proof<'a> {
    Proof { name, password, code: "" }
}
