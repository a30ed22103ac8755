//! The jobs of the shop, as the bodies it posts.

use super::catalog::{Rental, amount};
use super::speed::Speed;
use reprieve::model::Delay;
use serde_json::{Value, json};

/// On which days a customer is told, and how many are left then.
const NOTICES: [(i64, i64); 3] = [(23, 7), (28, 2), (29, 1)];
/// On which day the resource goes.
const EXPIRY_DAY: i64 = 30;
/// What in the payloads of its jobs the shop is asked for: who it is about, and the number of an invoice.
pub(super) const LOOKED_FOR: [&str; 2] = ["customer", "invoice"];

/// The plan of a resource that is `age` old: what of its 30 days is still to come, counted from the day it was rented.
pub(super) fn expiry(rental: &Rental, age: Delay, speed: Speed) -> Value {
    let after = |day: i64| speed.ours(Delay::days(day)).as_millis() - speed.ours(age).as_millis();
    let notices = NOTICES.iter().filter(|(day, _)| after(*day) > 0).map(|(day, days_left)| {
        json!({
            "name": format!("notice-{day}"),
            "offset_ms": after(*day),
            "job": {
                "queue": "mail",
                "kind": "resource.expiry_notice",
                "payload": {
                    "to": rental.email, "customer": rental.customer, "resource": rental.name,
                    "day": day, "days_left": days_left, "template": "expires-soon",
                },
            },
        })
    });
    let deletion = json!({
        "name": "delete",
        "offset_ms": after(EXPIRY_DAY),
        "job": {
            "queue": "deletions",
            "kind": "resource.delete",
            "payload": {
                "resource": rental.name, "number": rental.number, "customer": rental.customer,
                "because": "rented for 30 days, not renewed",
            },
            "tags": ["expiry"],
        },
    });
    json!({
        "id": format!("expiry-{}{}", rental.number, rental.term),
        "subject": rental.subject(),
        "name": "expiry",
        // One that is about to begin when the shop opens may be over by the time the call arrives.
        "past": "run",
        "steps": notices.chain([deletion]).collect::<Vec<_>>(),
    })
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

/// The tag of invoices that were made twice.
pub(super) const TWICE: &str = "made-twice";

/// Invoices that were made twice by mistake, and are found before they go out.
pub(super) fn invoices_made_twice(first: u32, count: u32, speed: Speed) -> Vec<Value> {
    let mut invoices = invoices(first, count);
    for invoice in &mut invoices {
        invoice["delay_ms"] = speed.ours(Delay::days(20)).as_millis().into();
        invoice["tags"] = json!([TWICE]);
    }
    invoices
}

/// What the shop does by the calendar, in real time.
pub(super) fn schedules() -> [Value; 3] {
    let of = |name: &str, schedule: &str, job: Value| json!({ "name": name, "schedule": schedule, "zone": "Europe/Berlin", "job": job });
    [
        of("snapshot", "@every 90s", backup(4711)),
        of("nightly-backup", "0 3 * * *", backup(4711)),
        of("monthly-report", "0 6 1 * *", report(1)),
    ]
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

    /// The names of a plan's steps and how long after its beginning each is due.
    fn steps(plan: &Value) -> Vec<(&str, i64)> {
        let steps = plan["steps"].as_array().unwrap();
        steps
            .iter()
            .map(|step| (step["name"].as_str().unwrap(), step["offset_ms"].as_i64().unwrap()))
            .collect()
    }

    #[test]
    fn a_new_resource_has_three_notices_and_a_deletion() {
        let plan = expiry(&Rental::of(4711), Delay::ZERO, Speed::default());
        let expected =
            [("notice-23", 46_000), ("notice-28", 56_000), ("notice-29", 58_000), ("delete", 60_000)];
        assert_eq!(steps(&plan), expected);
        assert_eq!((&plan["id"], &plan["subject"]), (&json!("expiry-4711"), &json!("resource:4711")));
    }

    #[test]
    fn an_older_resource_has_only_what_is_to_come() {
        let plan = expiry(&Rental::of(4712), Delay::days(28), Speed::default());
        assert_eq!(steps(&plan), [("notice-29", 2_000), ("delete", 4_000)]);
    }
}
