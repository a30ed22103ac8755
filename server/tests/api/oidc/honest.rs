//! An honest provider: who comes in, as what, and what changes there.

use super::provider::{Account, Lie, Provider, SECRET};
use super::{back, house_below, house_of, said, sent, sent_with, sign_in};
use crate::house::{House, PASSWORD, Reply, name};
use http::{Request, StatusCode};
use reprieve::model::{AuditEntry, AuditFilter, Role};
use serde_json::{Value, json};

/// The session of the person who has come in.
fn session(reply: &Reply) -> String {
    assert_eq!(reply.status, StatusCode::OK, "{:?} {}", reply.location(), reply.text);
    reply.cookie("rp").unwrap()
}

async fn role_of(house: &House, who: &str) -> (Role, Vec<String>) {
    let person = house.people().get(&name(who)).await.unwrap().unwrap();
    (person.role, person.queues.iter().map(ToString::to_string).collect())
}

#[tokio::test]
async fn somebody_comes_in_as_what_their_group_says_and_stays_the_same_person() {
    let provider = Provider::that_lies(Lie::None).await;
    let house = house_of(&provider).await;
    let page = house.send("", "GET /login?next=/workers", "", "text/html").await;
    assert!(page.text.contains("Sign in with Example &amp; Co"), "{}", page.text);
    assert!(page.text.contains("href=\"/login/oidc?next=%2Fworkers\""), "{}", page.text);

    let reply = sign_in(&house, &provider, "/login/oidc?next=/workers").await;
    // A redirect would be the other site's still, and the session's cookie would stay at home.
    assert_eq!(reply.headers["refresh"], "0; url=/workers");
    assert!(reply.text.contains("href=\"/workers\""), "{}", reply.text);
    let set: Vec<_> = reply.headers.get_all("set-cookie").iter().map(|v| v.to_str().unwrap()).collect();
    assert!(set.iter().any(|text| text.starts_with("rp=") && text.contains("SameSite=Strict")), "{set:?}");
    let first = session(&reply);
    assert_eq!(role_of(&house, "eve").await, (Role::Support, vec!["mail".to_owned(), "sms".to_owned()]));
    assert_eq!(house.call(&first, "GET /api/fn/whoami", "").await.status, StatusCode::OK);
    house.given("theirs", "other", 1).await;
    let foreign = house.call(&first, "GET /job/theirs", "").await;
    assert_eq!(foreign.status, StatusCode::NOT_FOUND);

    // Another name there is no other person here.
    provider.is_visited_by(Account { name: json!("boss"), ..Account::new("eve", &["jobs-support"]) });
    let second = session(&sign_in(&house, &provider, "/login/oidc").await);
    assert_ne!(first, second);
    assert_eq!(house.people().list().await.unwrap().len(), 1);
    let account = house.send(&second, "GET /account", "", "text/html").await;
    assert!(account.text.contains("An outside provider signs you in"), "{}", account.text);
    assert!(!account.text.contains("action=\"/account/password\""));
}

#[tokio::test]
async fn a_person_who_is_less_at_the_provider_is_less_here_at_the_next_sign_in_and_everywhere() {
    let provider = Provider::that_lies(Lie::None).await;
    let house = house_of(&provider).await;
    provider.is_visited_by(Account::new("eve", &["jobs-admins", "staff"]));
    let admin = session(&sign_in(&house, &provider, "/login/oidc").await);
    assert_eq!(role_of(&house, "eve").await, (Role::Admin, vec![]));

    provider.is_visited_by(Account::new("eve", &["staff"]));
    let viewer = session(&sign_in(&house, &provider, "/login/oidc").await);
    assert_eq!(role_of(&house, "eve").await, (Role::Viewer, vec![]));
    assert!(house.call(&admin, "GET /api/fn/whoami", "").await.is_denied(), "the session of before");
    let pause = house.call(&viewer, "POST /api/fn/pause_queue", "queue=mail").await;
    assert_eq!(pause.status, StatusCode::FORBIDDEN);

    for groups in [json!([]), json!(""), json!("STAFF"), json!(["staff "])] {
        provider.is_visited_by(Account { groups, ..Account::new("eve", &[]) });
        let reply = sign_in(&house, &provider, "/login/oidc").await;
        assert_eq!((said(&reply), reply.cookie("rp")), ("account.oidc_group", None));
        assert!(house.call(&viewer, "GET /api/fn/whoami", "").await.is_denied(), "in no group any more");
    }
    provider.is_visited_by(Account { groups: json!("staff"), ..Account::new("eve", &[]) });
    let viewer = session(&sign_in(&house, &provider, "/login/oidc").await);

    // In another form it is not known who they are: that lets nobody in, and takes nothing from anybody.
    for groups in [json!([["staff"]]), json!({"staff": {}}), json!([1, {"x": 2}]), json!(5)] {
        provider.is_visited_by(Account { groups: groups.clone(), ..Account::new("eve", &[]) });
        let reply = sign_in(&house, &provider, "/login/oidc").await;
        assert_eq!((said(&reply), reply.cookie("rp")), ("account.oidc_claim", None), "{groups}");
        assert!(last_denied(&house).await.contains("neither a text nor a list of texts"), "{groups}");
        assert!(!house.call(&viewer, "GET /api/fn/whoami", "").await.is_denied(), "{groups}");
    }
}

#[tokio::test]
async fn what_the_token_leaves_out_is_asked_for_and_a_thin_one_ends_no_session() {
    let provider = Provider::that_lies(Lie::None).await;
    let house = house_of(&provider).await;
    let eve = session(&sign_in(&house, &provider, "/login/oidc").await);
    assert_eq!(provider.asked("/userinfo"), 0, "the token says all");

    // Groups and name at UserInfo alone.
    let thin =
        |info: Value| Account { name: json!(null), groups: json!(null), info, ..Account::new("eve", &[]) };
    provider
        .is_visited_by(thin(json!({ "sub": "sub-eve", "groups": ["staff"], "preferred_username": "eve" })));
    let viewer = session(&sign_in(&house, &provider, "/login/oidc").await);
    assert_eq!((role_of(&house, "eve").await, provider.asked("/userinfo")), ((Role::Viewer, vec![]), 1));
    assert!(house.call(&eve, "GET /api/fn/whoami", "").await.is_denied(), "a change of role ends others");

    for (info, why) in [
        (json!({ "sub": "sub-eve" }), "the ID token has no claim `groups` and neither has UserInfo"),
        (json!({ "sub": "sub-bob", "groups": ["jobs-admins"] }), "and UserInfo is about somebody else"),
        (json!({ "groups": ["jobs-admins"] }), "and UserInfo is about somebody else"),
        (json!(null), "and UserInfo gave no answer that reads"),
        (
            json!({ "sub": "sub-eve", "_claim_names": { "groups": "src1" } }),
            "(`_claim_names`: there are too many)",
        ),
    ] {
        provider.is_visited_by(thin(info.clone()));
        let reply = sign_in(&house, &provider, "/login/oidc").await;
        assert_eq!((said(&reply), reply.cookie("rp")), ("account.oidc_claim", None), "{info}");
        let overview = house.call(&viewer, "GET /api/fn/whoami", "").await;
        assert_eq!(overview.status, StatusCode::OK, "{info}: the session goes on");
        assert!(last_denied(&house).await.contains(why), "{info}: {}", last_denied(&house).await);
        assert!(last_denied(&house).await.contains("groups_claim (sub \"sub-eve\")"), "{info}");
    }

    // A list that is there and holds nothing ends them.
    provider.is_visited_by(thin(json!({ "sub": "sub-eve", "groups": ["guests", "x\ny"] })));
    assert_eq!(said(&sign_in(&house, &provider, "/login/oidc").await), "account.oidc_group");
    let why = last_denied(&house).await;
    assert!(why.contains(r#"`groups` is "guests", "x\ny", none of which is a [[oidc.group]]"#), "{why}");
    assert!(house.call(&viewer, "GET /api/fn/whoami", "").await.is_denied());
}

#[tokio::test]
async fn several_tabs_sign_in_beside_each_other() {
    let provider = Provider::that_lies(Lie::None).await;
    let house = house_of(&provider).await;
    let (one, other) =
        (sent(&house, "/login/oidc?next=/workers").await, sent(&house, "/login/oidc?next=/jobs/delay").await);
    assert_ne!(one.cookie, other.cookie);
    let both = format!("{}; {}", one.cookie, other.cookie);

    // The older first, then the newer, whose cookie the first has left alone.
    for (tab, page) in [(&one, "/workers"), (&other, "/jobs/delay")] {
        let reply = back(&house, &both, &provider.lets_in(&tab.to)).await;
        session(&reply);
        assert_eq!(reply.headers["refresh"], format!("0; url={page}"));
        let over = super::flow_of(&reply).unwrap();
        assert_eq!(over, format!("{}=", tab.cookie.split('=').next().unwrap()));
    }
}

#[tokio::test]
async fn a_browser_has_a_handful_of_sign_ins_under_way_and_the_oldest_goes() {
    let provider = Provider::that_lies(Lie::None).await;
    let house = house_of(&provider).await;
    let mut cookies = vec!["rp-oidc.long-over-xx=e30".to_owned()];
    for _ in 0..5 {
        cookies.push(sent(&house, "/login/oidc").await.cookie);
    }
    let peer: std::net::SocketAddr = "127.0.0.1:1".parse().unwrap();
    let request = Request::get("/login/oidc")
        .header("host", "localhost")
        .header("accept", "text/html")
        .header("cookie", cookies.join("; "))
        .extension(axum::extract::ConnectInfo(peer));
    let reply = house.raw(request.body(axum::body::Body::empty()).unwrap()).await;
    let set: Vec<_> = reply.headers.get_all("set-cookie").iter().map(|text| text.to_str().unwrap()).collect();
    let gone = set.iter().filter(|text| text.contains("Max-Age=0")).count();
    assert_eq!((gone, set.len()), (2, 3), "what is over and one more go, the new one comes: {set:?}");
}

#[tokio::test]
async fn a_person_who_is_signed_in_and_comes_back_from_a_sign_in_that_is_over_is_led_to_their_page() {
    let provider = Provider::that_lies(Lie::None).await;
    let house = house_of(&provider).await;
    let eve = session(&sign_in(&house, &provider, "/login/oidc").await);

    let reply = back(&house, "", &format!("code=a&state={}", "x".repeat(43))).await;

    assert_eq!(said(&reply), "account.oidc_expired");
    let place = reply.headers["refresh"].to_str().unwrap().strip_prefix("0; url=").unwrap().to_owned();
    let led = house.send(&eve, &format!("GET {place}"), "", "text/html").await;
    assert_eq!((led.status, led.location()), (StatusCode::SEE_OTHER, Some("/")));
    let anew = house.send("", &format!("GET {place}"), "", "text/html").await;
    assert_eq!(anew.status, StatusCode::OK);
    assert!(anew.text.contains("href=\"/login/oidc?next=%2F\""), "{}", anew.text);
}

#[tokio::test]
async fn a_name_that_does_not_fit_is_named_where_an_admin_reads_it() {
    let provider = Provider::that_lies(Lie::None).await;
    let house = house_of(&provider).await;
    for (who, part) in [
        (json!("jürgen.müller"), r#"`preferred_username` is "jürgen.müller": name contains 'ü'"#),
        (json!(r"CORP\ann"), r#"contains '\\'"#),
        (json!(""), "is empty"),
        (json!(7), "`preferred_username` is not a text; set name_claim to another claim"),
    ] {
        provider.is_visited_by(Account { name: who.clone(), ..Account::new("eve", &["jobs-admins"]) });
        assert_eq!(said(&sign_in(&house, &provider, "/login/oidc").await), "account.oidc_name");
        let why = last_denied(&house).await;
        assert!(
            why.contains(part) && why.contains("set name_claim") && why.contains("sub-eve"),
            "{who}: {why}"
        );
    }
}

/// Why somebody was last refused, as the audit has it.
async fn last_denied(house: &House) -> String {
    let page = house.redis.engine().inspector().audit(&AuditFilter::default(), None, 20).await.unwrap();
    page.items.into_iter().find(AuditEntry::is_denied).map(|entry| entry.why).unwrap_or_default()
}

#[tokio::test]
async fn nobody_gets_the_name_of_somebody_else_and_who_is_kept_out_stays_out() {
    let provider = Provider::that_lies(Lie::None).await;
    let house = house_of(&provider).await;
    house.people().found(&name("admin"), PASSWORD).await.unwrap();
    for (who, word) in [
        (json!("admin"), "account.oidc_taken"),
        (json!(" ADMIN "), "account.oidc_taken"),
        (json!(""), "account.oidc_name"),
        (json!("<script>"), "account.oidc_name"),
        (json!("a".repeat(65)), "account.oidc_name"),
        (json!(7), "account.oidc_name"),
        (json!(null), "account.oidc_name"),
    ] {
        provider.is_visited_by(Account { name: who.clone(), ..Account::new("eve", &["jobs-admins"]) });
        let reply = sign_in(&house, &provider, "/login/oidc").await;
        assert_eq!((said(&reply), reply.cookie("rp")), (word, None), "{who}");
        assert_eq!(house.people().list().await.unwrap().len(), 1, "{who}");
    }
    provider.is_visited_by(Account::new("eve", &["jobs-admins"]));
    let eve = session(&sign_in(&house, &provider, "/login/oidc").await);
    house.people().set_disabled(&name("eve"), true, "admin", "").await.unwrap();
    assert!(house.call(&eve, "GET /api/fn/whoami", "").await.is_denied());
    assert_eq!(said(&sign_in(&house, &provider, "/login/oidc").await), "account.oidc_disabled");
}

#[tokio::test]
async fn a_new_key_of_the_provider_is_found_by_itself() {
    let provider = Provider::that_lies(Lie::None).await;
    let house = house_of(&provider).await;
    session(&sign_in(&house, &provider, "/login/oidc").await);
    session(&sign_in(&house, &provider, "/login/oidc").await);
    assert_eq!(
        (provider.asked("/keys"), provider.asked("/openid-configuration")),
        (1, 1),
        "it is remembered"
    );
    provider.takes_another_key();
    session(&sign_in(&house, &provider, "/login/oidc").await);
    assert_eq!(provider.asked("/keys"), 2);
}

#[tokio::test]
async fn what_is_hard_to_take_back_asks_for_a_proof_at_the_provider() {
    let provider = Provider::that_lies(Lie::None).await;
    let house = house_of(&provider).await;
    let admin = |proved_ago| Account { proved_ago, ..Account::new("eve", &["jobs-admins"]) };
    let add = async |session: &str| house.call(session, "POST /people/add", "name=bob&role=viewer").await;

    // Signed in by a provider that they proved themselves to this morning, or that does not say when.
    for proved_ago in [Some(3_600), None] {
        provider.is_visited_by(admin(proved_ago));
        let eve = session(&sign_in(&house, &provider, "/login/oidc").await);
        let refused = add(&eve).await;
        assert!(refused.text.contains("prove_first"), "{proved_ago:?}: {}", refused.text);
        let page = house.send(&eve, "GET /account/prove?next=/people", "", "text/html").await;
        assert!(page.text.contains("/login/oidc?prove=1&amp;next=%2Fpeople"), "{}", page.text);
        let unproved = sign_in(&house, &provider, "/login/oidc?prove=1&next=/people").await;
        assert_eq!(unproved.headers["refresh"], "0; url=/people?said=account.oidc_unproved");
        assert!(add(&session(&unproved)).await.text.contains("prove_first"));
        // Also where it leads back to a list, whatever was said there before.
        let list = "/login/oidc?prove=1&next=/jobs/dead%3Fqueue%3Dmail%26said%3Daccount.proved";
        let unproved = sign_in(&house, &provider, list).await;
        let place = "0; url=/jobs/dead?queue=mail&said=account.oidc_unproved";
        assert_eq!(unproved.headers["refresh"], place);
    }

    provider.is_visited_by(admin(Some(0)));
    let eve = session(&sign_in(&house, &provider, "/login/oidc").await);
    let out = sent_with(&house, &eve, "/login/oidc?prove=1&next=/people").await;
    assert!(out.to.contains("prompt=login") && out.to.contains("max_age=0"), "{}", out.to);
    let proved = back(&house, &out.cookie, &provider.lets_in(&out.to)).await;
    assert_eq!(proved.headers["refresh"], "0; url=/people?said=account.proved");
    assert_eq!(add(&session(&proved)).await.status, StatusCode::OK);
    assert!(add(&eve).await.is_denied(), "the id before is dead");
}

#[tokio::test]
async fn our_secret_goes_to_the_provider_alone_in_the_way_it_takes() {
    let provider = Provider::that_lies(Lie::None).await;
    let house = house_of(&provider).await;
    let reply = sign_in(&house, &provider, "/login/oidc").await;
    let (login, form) = provider.last_exchange();
    // `reprieve:canary+of%3Athe+client`, as RFC 6749 encodes it.
    assert_eq!(login, "Basic cmVwcmlldmU6Y2FuYXJ5K29mJTNBdGhlK2NsaWVudA==");
    assert!(!form.contains_key("client_secret"));
    let everything = format!("{:?} {:?} {}", house.redis.snapshot().await, reply.headers, reply.text);
    assert!(!everything.contains("canary"), "{everything}");

    let provider = Provider::that_takes_the_secret_in_the_form().await;
    let house = house_of(&provider).await;
    session(&sign_in(&house, &provider, "/login/oidc").await);
    let (login, form) = provider.last_exchange();
    assert_eq!((login.as_str(), form["client_secret"].as_str()), ("", SECRET));
}

#[tokio::test]
async fn the_way_back_leads_to_our_own_pages_alone() {
    let provider = Provider::that_lies(Lie::None).await;
    let house = house_of(&provider).await;
    for next in
        ["//evil.example", "https://evil.example", "/%5Cevil.example", "/login", "javascript:alert(1)"]
    {
        let reply = sign_in(&house, &provider, &format!("/login/oidc?next={next}")).await;
        assert_eq!(reply.headers["refresh"], "0; url=/desk", "{next}: they are support");
    }
    let out = sent(&house, "/login/oidc").await;
    assert!(out.to.contains("redirect_uri=http%3A%2F%2Flocalhost%2Flogin%2Foidc%2Fcallback"), "{}", out.to);
    let below = house_below(&provider, "/jobs".parse().unwrap()).await;
    let out = below.send("", "GET /login/oidc", "", "text/html").await;
    assert!(
        out.location()
            .unwrap()
            .contains("redirect_uri=http%3A%2F%2Flocalhost%2Fjobs%2Flogin%2Foidc%2Fcallback")
    );
    let foreign = Request::get("/login/oidc").header("host", "evil.example");
    let reply = house.raw(foreign.body(axum::body::Body::empty()).unwrap()).await;
    assert_eq!(reply.status, StatusCode::MISDIRECTED_REQUEST);
}

#[tokio::test]
async fn without_a_provider_there_is_no_such_way() {
    let house = House::new().await;
    for path in ["/login/oidc", "/login/oidc/callback?code=a&state=b"] {
        let reply = house.send("", &format!("GET {path}"), "", "text/html").await;
        assert_eq!(reply.status, StatusCode::NOT_FOUND, "{path}");
        assert!(!reply.headers.contains_key("set-cookie"));
    }
    let page = house.send("", "GET /login", "", "text/html").await;
    assert!(!page.text.contains("/login/oidc"));
}
