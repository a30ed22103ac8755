//! Whatever the provider, or the browser it sends, says that is not so: nobody comes in, and nothing is written but that.

use super::provider::{Lie, Provider};
use super::{back, flow_of, house_of, said, sent, sign_in};
use crate::house::{House, Reply};
use std::collections::BTreeMap;

/// What the provider says that is not so, and what the person is told.
const LIES: [(Lie, &str); 29] = [
    (Lie::DescribesAnother, "account.oidc_untrue"),
    (Lie::NamesPlainAddress, "account.oidc_untrue"),
    (Lie::LeadsElsewhere, "account.oidc_untrue"),
    (Lie::EndlessKeys, "account.oidc_untrue"),
    (Lie::EndlessToken, "account.oidc_untrue"),
    (Lie::NeverAnswers, "account.oidc_away"),
    (Lie::NoJson, "account.oidc_untrue"),
    (Lie::NoToken, "account.oidc_untrue"),
    (Lie::OtherIssuer, "account.oidc_untrue"),
    (Lie::ManyIssuers, "account.oidc_untrue"),
    (Lie::OtherAudience, "account.oidc_untrue"),
    (Lie::ManyAudiences, "account.oidc_untrue"),
    (Lie::OtherParty, "account.oidc_untrue"),
    (Lie::Expired, "account.oidc_untrue"),
    (Lie::ExpiresInWords, "account.oidc_untrue"),
    (Lie::NotYet, "account.oidc_untrue"),
    (Lie::MadeTomorrow, "account.oidc_untrue"),
    (Lie::OtherNonce, "account.oidc_untrue"),
    (Lie::NoNonce, "account.oidc_untrue"),
    (Lie::NoSubject, "account.oidc_untrue"),
    (Lie::EmptySubject, "account.oidc_untrue"),
    (Lie::Unsigned, "account.oidc_untrue"),
    (Lie::SignedWithThePublicKey, "account.oidc_untrue"),
    (Lie::UnknownKey, "account.oidc_untrue"),
    (Lie::ForeignKey, "account.oidc_untrue"),
    (Lie::Changed, "account.oidc_untrue"),
    (Lie::NoSignature, "account.oidc_untrue"),
    (Lie::OtherAlgorithm, "account.oidc_untrue"),
    (Lie::AsksForMore, "account.oidc_untrue"),
];

/// What is kept, but for counters that go by themselves and what every script keeps.
async fn kept(house: &House) -> BTreeMap<String, Vec<String>> {
    let mut kept = house.redis.snapshot().await;
    kept.retain(|key, _| !["spent:", "denied:", "audit", "meta"].iter().any(|part| key.starts_with(part)));
    kept
}

/// Nobody came in, and one line says so.
async fn nobody_came_in(
    house: &House,
    reply: &Reply,
    before: &BTreeMap<String, Vec<String>>,
    refusals: usize,
) {
    assert_eq!(reply.cookie("rp"), None, "a session");
    if said(reply) == "account.oidc_expired" {
        assert_eq!((reply.status.as_u16(), flow_of(reply)), (200, None), "those of other tabs go on");
    } else {
        assert_eq!(reply.status, 303, "{}", reply.text);
        assert!(flow_of(reply).is_some_and(|cookie| cookie.ends_with('=')), "the sign-in is over");
    }
    assert_eq!(&kept(house).await, before);
    assert_eq!(house.denials().await, refusals);
}

#[tokio::test]
async fn no_lie_of_the_provider_lets_anybody_in() {
    assert_eq!(LIES.len(), 29);
    // One after the other: what one computes would have the others wait for Redis longer than the server does.
    for (lie, word) in LIES {
        let provider = Provider::that_lies(lie).await;
        let house = house_of(&provider).await;
        let before = kept(&house).await;
        let begins = house.send("", "GET /login/oidc?next=/workers", "", "text/html").await;
        let reply = match flow_of(&begins) {
            Some(cookie) => back(&house, &cookie, &provider.lets_in(begins.location().unwrap())).await,
            // It was found out before anybody was sent there.
            None => begins,
        };
        assert_eq!(said(&reply), word, "{lie:?}");
        assert_eq!(reply.cookie("rp"), None, "{lie:?}");
        assert_eq!(kept(&house).await, before, "{lie:?}");
        assert_eq!(house.denials().await, 1, "{lie:?}");
        assert_eq!(provider.asked("/elsewhere"), 0, "no redirect is followed");
    }
}

#[tokio::test]
async fn the_audit_says_in_our_words_what_was_wrong_with_a_token() {
    for (lie, why) in [
        (Lie::OtherAudience, "the token was made for somebody else"),
        (Lie::OtherIssuer, "the token is that of another issuer"),
        (Lie::Expired, "the token's time is over"),
        (Lie::NotYet, "the token is not good yet"),
        (Lie::NoSubject, "the token lacks something"),
        (Lie::Changed, "the token's signature is wrong"),
        (Lie::OtherNonce, "the token is that of another sign-in"),
        (Lie::EmptySubject, "the token is about nobody"),
    ] {
        let provider = Provider::that_lies(lie).await;
        let house = house_of(&provider).await;
        assert_eq!(said(&sign_in(&house, &provider, "/login/oidc").await), "account.oidc_untrue");
        let audit = house.redis.snapshot().await.remove("audit").unwrap();
        assert!(audit.iter().any(|text| text.contains(why)), "{lie:?}: {audit:?}");
    }
}

#[tokio::test]
async fn a_code_and_a_state_are_good_once_in_the_browser_they_belong_to() {
    let provider = Provider::that_lies(Lie::None).await;
    let house = house_of(&provider).await;
    let before = kept(&house).await;
    let (mine, theirs) = (sent(&house, "/login/oidc").await, sent(&house, "/login/oidc").await);
    let good = provider.lets_in(&mine.to);
    let (code, state) = good.split_once("&state=").unwrap();
    let others = provider.lets_in(&theirs.to);
    let (others_code, others_state) = others.split_once("&state=").unwrap();
    let mut refused = 0;
    for (cookie, query, word) in [
        ("", good.clone(), "account.oidc_expired"),
        ("rp-oidc.abc=e30", good.clone(), "account.oidc_expired"),
        (theirs.cookie.as_str(), good.clone(), "account.oidc_expired"),
        (mine.cookie.as_str(), format!("{code}&state={others_state}"), "account.oidc_expired"),
        (mine.cookie.as_str(), code.to_owned(), "account.oidc_expired"),
        (mine.cookie.as_str(), format!("{code}&state="), "account.oidc_expired"),
        (mine.cookie.as_str(), format!("{good}&state={state}"), "account.oidc_expired"),
        (mine.cookie.as_str(), format!("{code}&state={}", state.to_lowercase()), "account.oidc_expired"),
    ] {
        let reply = back(&house, cookie, &query).await;
        refused += 1;
        assert_eq!(said(&reply), word, "{query}");
        nobody_came_in(&house, &reply, &before, refused).await;
    }
    assert_eq!(provider.asked("/token"), 0, "nothing was exchanged");

    // The code of somebody else, in a sign-in of one's own: it was asked for with another verifier.
    for (start, query, word) in [
        ("/login/oidc", others_code.to_owned(), "account.oidc_untrue"),
        ("/login/oidc", "code=made-up".to_owned(), "account.oidc_untrue"),
        ("/login/oidc", format!("code={}", "a".repeat(2_049)), "account.oidc_untrue"),
        ("/login/oidc", String::new(), "account.oidc_untrue"),
        ("/login/oidc", format!("{code}&{code}"), "account.oidc_untrue"),
        ("/login/oidc", format!("{code}&iss=https://login.example"), "account.oidc_untrue"),
        ("/login/oidc", "error=access_denied&error_description=canary".to_owned(), "account.oidc_denied"),
        ("/login/oidc", format!("error=x&{code}"), "account.oidc_denied"),
    ] {
        let sent = sent(&house, start).await;
        let (_, state) = sent.to.split_once("&state=").unwrap();
        let state = state.split('&').next().unwrap();
        let reply = back(&house, &sent.cookie, &format!("{query}&state={state}")).await;
        refused += 1;
        assert_eq!(said(&reply), word, "{query}");
        nobody_came_in(&house, &reply, &before, refused).await;
    }

    let reply = back(&house, &mine.cookie, &good).await;
    assert!(reply.cookie("rp").is_some(), "{} {}", reply.status, reply.text);
    let again = back(&house, &mine.cookie, &good).await;
    assert_eq!((said(&again), again.cookie("rp")), ("account.oidc_expired", None));
}

#[tokio::test]
async fn a_stolen_code_is_found_out_even_by_a_provider_that_does_not_look_at_its_verifier() {
    let provider = Provider::that_lies(Lie::TakesAnyVerifier).await;
    let house = house_of(&provider).await;
    let before = kept(&house).await;
    let victim = sent(&house, "/login/oidc").await;
    let stolen = provider.lets_in(&victim.to);
    let thief = sent(&house, "/login/oidc").await;
    let own = provider.lets_in(&thief.to);
    let mixed =
        format!("{}&state={}", stolen.split_once("&state=").unwrap().0, own.split_once("&state=").unwrap().1);
    let reply = back(&house, &thief.cookie, &mixed).await;
    assert_eq!(said(&reply), "account.oidc_untrue", "the token holds another nonce");
    nobody_came_in(&house, &reply, &before, 1).await;
}

#[tokio::test]
async fn a_made_up_key_makes_us_ask_once() {
    let provider = Provider::that_lies(Lie::UnknownKey).await;
    let house = house_of(&provider).await;
    for _ in 0..5 {
        assert_eq!(said(&sign_in(&house, &provider, "/login/oidc").await), "account.oidc_untrue");
    }
    assert_eq!(provider.asked("/keys"), 2, "once in turn, once out of turn");
    assert_eq!(provider.asked("/openid-configuration"), 1);
}

#[tokio::test]
async fn the_page_to_sign_in_says_what_is_in_the_way_and_nothing_the_provider_wrote() {
    let provider = Provider::that_lies(Lie::None).await;
    let house = house_of(&provider).await;
    let words = ["untrue", "away", "expired", "denied", "group", "name", "taken", "disabled"];
    let mut sentences = std::collections::BTreeSet::new();
    for word in words {
        let page = house.send("", &format!("GET /login?said=account.oidc_{word}"), "", "text/html").await;
        let (_, alert) =
            page.text.split_once("role=\"alert\"").unwrap_or_else(|| panic!("{word}: {}", page.text));
        sentences.insert(alert.split('<').next().unwrap().to_owned());
    }
    assert_eq!(sentences.len(), words.len());
}

#[tokio::test]
async fn the_audit_names_the_door_at_which_somebody_was_turned_away() {
    for (lie, door) in [(Lie::DescribesAnother, "/login/oidc"), (Lie::Changed, "/login/oidc/callback")] {
        let provider = Provider::that_lies(lie).await;
        let house = house_of(&provider).await;
        if lie == Lie::Changed {
            sign_in(&house, &provider, "/login/oidc").await;
        } else {
            house.send("", "GET /login/oidc", "", "text/html").await;
        }
        let audit = house.redis.snapshot().await.remove("audit").unwrap();
        assert!(audit.iter().any(|text| text.contains(&format!("\"{door}\""))), "{lie:?}: {audit:?}");
    }
}
