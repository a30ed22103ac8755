//! Which fields of payloads are indexed, by the form of the settings.

use crate::house::{House, Reply, person};
use app::api::settings::{SettingsView, get_settings};
use http::StatusCode;
use reprieve::model::Role;
use serde_json::{Value, json};

const SET: &str = "POST /api/fn/set_index_fields";

async fn set(house: &House, form: &str) -> Reply {
    house.call(house.of(Role::Admin), SET, form).await
}

/// The fields as the settings say them.
async fn kept(house: &House) -> Value {
    serde_json::to_value(&settings(house).await.settings.index_fields).unwrap()
}

async fn settings(house: &House) -> SettingsView {
    house.read(&person("viewer", Role::Viewer, &[]), get_settings()).await.unwrap()
}

#[tokio::test]
async fn the_fields_are_set_one_a_line_and_read_again() {
    let house = House::new().await;
    let reply = set(&house, "fields=payload.order.id%0D%0A+items.0.sku+%0A%0Aorder.id").await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    let fields = json!(["order.id", "items.0.sku"]);
    assert_eq!(kept(&house).await, fields, "each once, without what filters have in front");
    let state = settings(&house).await.index;
    assert_eq!(serde_json::to_value(&state.fields).unwrap(), fields, "{state:?}");

    let token = house.token().await;
    let there = json!({ "value": ["amount"], "seen": fields });
    let by_token = house.by_token(&token, "POST /api/v1/settings/index_fields", &there).await;
    assert_eq!(by_token.status, StatusCode::OK, "{}", by_token.text);
    assert_eq!(kept(&house).await, json!(["amount"]));

    assert_eq!(set(&house, "fields=").await.status, StatusCode::OK);
    assert_eq!(kept(&house).await, json!([]));
}

#[tokio::test]
async fn a_line_that_is_no_path_is_refused_by_name() {
    let house = House::new().await;
    for (form, named) in [
        ("fields=amount%0Aorder+id", "“order id”"),
        ("fields=order..id", "“order..id”"),
        ("fields=payload.amount:%3E10", "“payload.amount:>10”"),
        ("fields=a%0Ab%0Ac%0Ad%0Ae%0Af%0Ag%0Ah%0Ai", "9 fields"),
    ] {
        let reply = set(&house, form).await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{form}: {}", reply.text);
        assert!(reply.text.contains(named), "{form}: {}", reply.text);
    }
    assert_eq!(kept(&house).await, json!([]), "nothing was set");
}

#[tokio::test]
async fn the_fields_of_somebody_else_are_not_overwritten_unseen() {
    let house = House::new().await;
    let seen = |fields: &str| format!("seen=%7B%22name%22%3A%22index_fields%22%2C%22value%22%3A{fields}%7D");
    let nothing = seen("%5B%5D");
    assert_eq!(set(&house, &format!("fields=amount&{nothing}")).await.status, StatusCode::OK);
    let late = set(&house, &format!("fields=order.id&{nothing}")).await;
    assert_eq!(late.status, StatusCode::CONFLICT, "{}", late.text);
    assert_eq!(kept(&house).await, json!(["amount"]));

    let known = seen("%5B%22amount%22%5D");
    assert_eq!(set(&house, &format!("fields=order.id&{known}")).await.status, StatusCode::OK);
    assert_eq!(kept(&house).await, json!(["order.id"]));
}

#[tokio::test]
async fn a_person_who_may_not_set_them_is_refused() {
    let house = House::new().await;
    for role in [Role::Viewer, Role::Support, Role::Operator] {
        let reply = house.call(house.of(role), SET, "fields=amount").await;
        assert_eq!(reply.status, StatusCode::FORBIDDEN, "{role:?}: {}", reply.text);
    }
    assert_eq!(kept(&house).await, json!([]));
}
