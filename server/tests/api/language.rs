//! In which language somebody reads: kept in their account, so that it is theirs in every browser.

use super::house::{House, PASSWORD, Reply, asking};
use app::refused::Refused;
use axum::body::Body;
use http::StatusCode;
use reprieve::model::Role;
use reprieve_access::Tokens;

/// What a page says its language is.
fn language(page: &str) -> &str {
    page.split_once("<html lang=\"").unwrap().1.split('"').next().unwrap()
}

#[tokio::test]
async fn the_language_of_an_account_is_that_of_every_browser() {
    let house = House::new().await;
    let viewer = house.of(Role::Viewer);
    let first = house.send(viewer, "GET /", "", "text/html").await;
    assert_eq!(language(&first.text), "en");

    let chosen =
        house.send(viewer, "POST /api/fn/set_appearance", "language=zh-CN&back=%2F", "text/html").await;
    assert_eq!(chosen.status, StatusCode::FOUND, "{}", chosen.text);
    assert_eq!(chosen.cookie("language").as_deref(), Some("zh-CN"), "a person who signs out reads on in it");

    let elsewhere = house.session("viewer").await;
    for session in [viewer, &elsewhere] {
        let page = house.send(session, "GET /", "", "text/html").await;
        assert_eq!(language(&page.text), "zh-CN");
    }
    let other = house.send(house.of(Role::Support), "GET /forecast", "", "text/html").await;
    assert_eq!(language(&other.text), "en", "nobody else is asked");
    let outside = house.send("", "GET /login", "", "text/html").await;
    assert_eq!(language(&outside.text), "en", "a visitor who is not signed in has the cookie");

    let refused = house.people().choose_language(&"viewer".parse().unwrap(), "zh CN").await;
    assert!(refused.is_err(), "what is no tag");
}

/// What a form was refused with, as the page it comes back to says it.
pub(crate) fn refusal(reply: &Reply) -> (String, Option<String>, String) {
    let cookie = reply.cookie("refused").unwrap_or_else(|| panic!("{} {}", reply.status, reply.text));
    let json = url::form_urlencoded::parse(format!("c={cookie}").as_bytes()).next().unwrap().1.into_owned();
    let Refused { action, field, text, .. } = serde_json::from_str(&json).unwrap();
    (action, field, text)
}

/// Whether two words of English stand beside each other.
fn is_english(text: &str) -> bool {
    let words: Vec<bool> = text
        .split([' ', '，', '：', '；', '。', '“', '”'])
        .map(|word| word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_alphabetic()))
        .collect();
    words.windows(2).any(|pair| pair == [true, true])
}

#[tokio::test]
async fn a_form_is_refused_in_the_language_of_its_sender() {
    let house = House::new().await;
    let admin = house.of(Role::Admin);
    house.people().choose_language(&"admin".parse().unwrap(), "zh-CN").await.unwrap();
    let long = "x".repeat(90);
    for (request, form, field) in [
        ("POST /people/add", "name=ann%21&role=viewer".to_owned(), "name"),
        ("POST /people/add", "name=viewer&role=viewer".to_owned(), "name"),
        ("POST /people/add", "name=ann&role=viewer&queues=mail+a%2Fb".to_owned(), "queues"),
        ("POST /people/role?name=viewer", "name=viewer&role=viewer&queues=..".to_owned(), "queues"),
        ("POST /people/tokens/add", "name=a%2Fb&days=30&may.view=1".to_owned(), "name"),
        ("POST /people/tokens/add", "name=t&days=91&may.view=1".to_owned(), "days"),
        ("POST /people/tokens/add", "name=t&days=30".to_owned(), ""),
        ("POST /account/password", format!("present={PASSWORD}&wanted=a&again=b"), "again"),
        ("POST /account/password", "present=a&wanted=b&again=b".to_owned(), "present"),
        ("POST /account/password", format!("present={PASSWORD}&wanted=short&again=short"), "wanted"),
        ("POST /account/second-factor/begin", "present-factor=a".to_owned(), "present-factor"),
        ("POST /account/second-factor/drop", "present-factor=a".to_owned(), "present-factor"),
        ("POST /api/fn/set_look", format!("colour=green&title={long}"), "title"),
        ("POST /api/fn/set_look", "colour=green&zone=Mars/Base".to_owned(), "zone"),
        ("POST /api/fn/set_look", format!("colour=green&environment={long}"), "environment"),
        ("POST /api/fn/set_retention", "done=never".to_owned(), "done"),
        ("POST /api/fn/set_retention?queue=mail", "done=never&queue=mail".to_owned(), "done"),
        ("POST /api/fn/set_retention", "done=7&queue=a%2Fb".to_owned(), "queue"),
        ("POST /api/fn/add_redaction", "kinds=*&path=a..b".to_owned(), "redaction"),
        ("POST /api/fn/set_reasons", format!("reasons={long}"), "reasons"),
        ("POST /api/fn/set_index_fields", "fields=..".to_owned(), "fields"),
        ("POST /api/fn/add_alert", "what=late&over=much".to_owned(), "over"),
        ("POST /api/fn/add_alert", "what=late&over=1&queue=a%2Fb".to_owned(), "queue"),
        ("POST /api/fn/save_view", "list=delay&name=".to_owned(), "view"),
        ("POST /api/fn/limit_queue", "queue=mail&limits%5Brate%5D=much".to_owned(), "limits[rate]"),
        ("POST /api/fn/enqueue_job", "queue=mail&kind=a+b&preset=%2B0".to_owned(), "kind"),
        ("POST /api/fn/enqueue_job", "queue=mail&kind=invoice&preset=soon".to_owned(), "preset"),
        ("POST /api/fn/duplicate_job", "id=a&preset=soon".to_owned(), "preset"),
        ("POST /api/fn/put_schedule", "name=n&seen=0&schedule=x&zone=UTC&kind=k".to_owned(), "schedule"),
    ] {
        let reply = house.send(admin, request, &form, "text/html").await;
        let (action, named, text) = refusal(&reply);
        assert_eq!(format!("POST {action}"), request, "where the form was sent");
        assert_eq!(named.as_deref().unwrap_or_default(), field, "{request} {form}: {text}");
        assert!(!text.is_ascii() && !is_english(&text), "{request} {form}: {text}");
    }
    assert!(is_english("“queue contains '/'”"), "the check sees English");
    assert_eq!(Tokens::new(house.redis.engine()).list().await.unwrap(), []);
}

#[tokio::test]
async fn a_form_about_somebody_says_what_is_wrong_with_it() {
    let house = House::new().await;
    let admin = house.of(Role::Admin);
    for (request, form, said) in [
        (
            "POST /people/add",
            "name=Zoe%21&role=viewer",
            "That name does not fit: “!” does not fit in a name; allowed are a-z 0-9 . _ @ + -. \
             Names have small letters, digits and . _ @ + -",
        ),
        ("POST /people/add", "name=viewer&role=viewer", "That name is taken. Choose another."),
        (
            "POST /people/role?name=viewer",
            "name=viewer&role=viewer&queues=mail+a%2Fb",
            "“a/b” is not the name of a queue: “/” does not fit in a name; allowed are A-Z a-z 0-9 . _ -. \
             Write names with spaces between them, or nothing for every queue.",
        ),
        (
            "POST /people/role?name=admin",
            "name=admin&role=viewer",
            "That is the last admin. Make somebody else an admin first.",
        ),
        ("POST /people/tokens/add", "name=t&days=0&may.view=1", "A token is good for 1 to 90 days."),
        (
            "POST /people/tokens/add",
            "name=t&days=1",
            "A token that may do nothing opens nothing. Tick at least one right.",
        ),
    ] {
        let reply = house.send(admin, request, form, "text/html").await;
        let place = reply.location().unwrap_or_else(|| panic!("{}", reply.text)).to_owned();
        let refused = reply.cookie("refused").unwrap();
        assert_eq!(refusal(&reply).2, said, "{form}");
        let back = asking("", &format!("GET {place}"), "text/html")
            .header("cookie", format!("rp={admin}; refused={refused}"));
        let page = house.raw(back.body(Body::empty()).unwrap()).await;
        assert!(page.text.contains(said), "the page says it: {place}");
    }
}
