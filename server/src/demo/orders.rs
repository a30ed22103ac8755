//! The jobs of the shop, as the bodies it posts.

use super::catalog::{Rental, amount};
use super::speed::Speed;
use reprieve::model::Delay;
use serde_json::{Value, json};

/// On which days a customer is told, and how many are left then.
const NOTICES: [(i64, i64); 3] = [(23, 7), (28, 2), (29, 1)];
/// On which day the resource goes.
const EXPIRY_DAY: i64 = 30;

/// The four jobs of a resource that is `age` old: what of its 30 days is still to come.
pub(super) fn expiry(rental: &Rental, age: Delay, speed: Speed) -> Vec<Value> {
    let left = |day: i64| Delay::days(day).as_millis() - age.as_millis();
    let wait = |day: i64| speed.ours(Delay::millis(left(day))).as_millis();
    let (subject, term) = (rental.subject(), &rental.term);
    let notices = NOTICES.iter().filter(|(day, _)| left(*day) > 0).map(|(day, days_left)| {
        json!({
            "id": format!("{subject}{term}:notice-{day}"),
            "queue": "mail",
            "kind": "resource.expiry_notice",
            "subject": subject,
            "delay_ms": wait(*day),
            "payload": {
                "to": rental.email, "customer": rental.customer, "resource": rental.name,
                "day": day, "days_left": days_left, "template": "expires-soon",
            },
        })
    });
    let deletion = json!({
        "id": format!("{subject}{term}:delete"),
        "queue": "deletions",
        "kind": "resource.delete",
        "subject": subject,
        "delay_ms": wait(EXPIRY_DAY),
        "payload": {
            "resource": rental.name, "number": rental.number, "customer": rental.customer,
            "because": "rented for 30 days, not renewed",
        },
        "tags": ["expiry"],
    });
    notices.chain([deletion]).collect()
}

/// A customer deletes something: 24 hours of grace.
pub(super) fn deletion(rental: &Rental, speed: Speed) -> Value {
    json!({
        "id": format!("{}:delete", rental.subject()),
        "queue": "deletions",
        "kind": "resource.delete",
        "subject": rental.subject(),
        "delay_ms": speed.ours(Delay::hours(24)).as_millis(),
        "payload": {
            "resource": rental.name, "number": rental.number, "customer": rental.customer,
            "because": "deleted by the customer",
        },
        "tags": ["customer"],
    })
}

/// A customer leaves: two weeks of grace.
pub(super) fn closing(rental: &Rental, speed: Speed) -> Value {
    json!({
        "id": format!("account:{}:close", rental.number),
        "queue": "deletions",
        "kind": "account.close",
        "subject": format!("account:{}", rental.number),
        "delay_ms": speed.ours(Delay::days(14)).as_millis(),
        "payload": { "customer": rental.customer, "email": rental.email, "because": "closed by the customer" },
        "tags": ["customer"],
    })
}

/// The invoices of a run: many at once, so that they queue up.
pub(super) fn invoices(first: u32, count: u32) -> Vec<Value> {
    let invoice = |number: u32| {
        let rental = Rental::of(number);
        json!({
            "queue": "billing",
            "kind": "invoice.send",
            "subject": format!("invoice:{number}"),
            "payload": { "invoice": number, "customer": rental.customer, "to": rental.email, "amount": amount() },
        })
    };
    (first..first.saturating_add(count)).map(invoice).collect()
}

/// A card is charged; the gateway has bad minutes.
pub(super) fn charge(number: u32) -> Value {
    let rental = Rental::of(number);
    json!({
        "queue": "billing",
        "kind": "card.charge",
        "subject": format!("account:{number}"),
        "priority": 2,
        "max_attempts": 6,
        "payload": { "account": number, "customer": rental.customer, "amount": amount() },
    })
}

/// A backup, which takes a while.
pub(super) fn backup(number: u32) -> Value {
    let rental = Rental::of(number);
    json!({
        "queue": "backups",
        "kind": "backup.create",
        "subject": rental.subject(),
        "payload": { "resource": rental.name, "number": number, "customer": rental.customer },
    })
}

/// A report whose first attempt hangs until its time is up.
pub(super) fn report(number: u32) -> Value {
    json!({
        "queue": "reports",
        "kind": "report.monthly",
        "timeout_ms": 4_000,
        "max_attempts": 3,
        "payload": { "report": number, "format": "pdf", "pages": 12 + number % 40 },
    })
}

/// A customer the other system does not know: it dies.
pub(super) fn crm_sync(number: u32) -> Value {
    let rental = Rental::of(number);
    json!({
        "queue": "reports",
        "kind": "crm.sync",
        "subject": format!("account:{number}"),
        "max_attempts": 2,
        "payload": { "account": number, "customer": rental.customer, "email": rental.email },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_resource_has_three_notices_and_a_deletion() {
        let jobs = expiry(&Rental::of(4711), Delay::ZERO, Speed::default());
        let due: Vec<i64> = jobs.iter().filter_map(|job| job["delay_ms"].as_i64()).collect();
        assert_eq!(due, [46_000, 56_000, 58_000, 60_000]);
        assert!(jobs.iter().all(|job| job["subject"] == "resource:4711"));
    }

    #[test]
    fn an_older_resource_has_only_what_is_to_come() {
        let jobs = expiry(&Rental::of(4712), Delay::days(28), Speed::default());
        let ids: Vec<&str> = jobs.iter().filter_map(|job| job["id"].as_str()).collect();
        assert_eq!(ids, ["resource:4712:notice-29", "resource:4712:delete"]);
    }
}
