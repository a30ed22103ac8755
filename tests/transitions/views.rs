//! Saved views: whose they are, who sees them, how many there may be.

use super::seed::Stage;
use reprieve::model::{AuditFilter, PersonName, Role, SavedView, StateGroup};
use reprieve_access::People;

fn view(name: &str) -> SavedView {
    SavedView::new(name, StateGroup::Dead, "ended:<24h -kind:sms".parse().unwrap())
}

#[tokio::test]
async fn a_view_is_its_owners_unless_it_is_shared() {
    let stage = Stage::new().await;
    let engine = stage.redis.engine();
    let (ann, bob) = (engine.operator("ann"), engine.operator("bob"));
    ann.save_view(view(" mine ")).await.unwrap();
    let mut shared = view("for all");
    shared.shared = true;
    ann.save_view(shared).await.unwrap();
    bob.save_view(view("mine")).await.unwrap();

    let names = async |me: &str| -> Vec<String> {
        let views = engine.inspector().views(me).await.unwrap();
        views.iter().map(|view| format!("{} of {}", view.name, view.owner)).collect()
    };
    assert_eq!(names("ann").await, ["for all of ann", "mine of ann"]);
    assert_eq!(names("bob").await, ["for all of ann", "mine of bob"]);
    assert_eq!(names("eve").await, ["for all of ann"]);
    let kept = engine.inspector().views("bob").await.unwrap().remove(1);
    assert_eq!((kept.list, kept.filter.to_string().as_str()), (StateGroup::Dead, "ended:<24h -kind:sms"));

    assert!(!bob.remove_view("for all").await.unwrap(), "it is not his");
    assert!(ann.remove_view("for all").await.unwrap());
    assert_eq!(names("bob").await, ["mine of bob"]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_view_without_a_proper_name_and_one_too_many_are_refused() {
    let stage = Stage::new().await;
    let ann = stage.redis.engine().operator("ann");
    for bad in ["", "  ", "a\nb", &"n".repeat(41)] {
        assert!(ann.save_view(view(bad)).await.is_err(), "{bad:?}");
    }
    for number in 0..50 {
        ann.save_view(view(&format!("v{number}"))).await.unwrap();
    }
    assert!(ann.save_view(view("another")).await.is_err());
    assert!(ann.replace_view(view("another")).await.is_err());
    ann.replace_view(view("v7")).await.unwrap();
    for number in 0..150 {
        let other = stage.redis.engine().operator(format!("other-{}", number / 50));
        other.save_view(view(&format!("v{number}"))).await.unwrap();
    }
    let last = stage.redis.engine().operator("last");
    assert!(last.save_view(view("one too many of all")).await.is_err());
    ann.remove_view("v7").await.unwrap();
    last.save_view(view("one too many of all")).await.unwrap();
}

#[tokio::test]
async fn columns_of_a_view_are_few_and_short() {
    let stage = Stage::new().await;
    let ann = stage.redis.engine().operator("ann");
    let of = |columns: String| {
        let mut view = view("columns");
        view.columns = columns;
        view
    };
    for bad in ["x".repeat(1_025), ["a"; 9].join(",")] {
        assert_eq!(ann.save_view(of(bad)).await.unwrap_err().code(), "invalid");
    }
    let eight = format!(":job,:queue,{}", ["a.b"; 8].join(","));
    assert_eq!(ann.save_view(of(eight.clone())).await.unwrap().unwrap().columns, eight);
}

/// `for all`, which everybody sees, and `mine`.
async fn ann_has_a_shared_view_and_one_of_her_own() -> Stage {
    let stage = Stage::new().await;
    let ann = stage.redis.engine().operator("ann");
    let mut shared = view("for all");
    shared.shared = true;
    ann.save_view(shared).await.unwrap();
    ann.save_view(view("mine")).await.unwrap();
    stage
}

#[tokio::test]
async fn a_shared_view_is_removed_for_its_owner_and_no_other_one_is() {
    let stage = ann_has_a_shared_view_and_one_of_her_own().await;
    let engine = stage.redis.engine();
    let bob = engine.operator("bob");

    assert!(!bob.remove_shared_view("ann", "mine").await.unwrap());
    assert!(!bob.remove_shared_view("ann", "none").await.unwrap());
    assert!(bob.remove_shared_view("ann", "for all").await.unwrap());

    let left = engine.inspector().views("ann").await.unwrap();
    assert_eq!(left.iter().map(|view| view.name.as_str()).collect::<Vec<_>>(), ["mine"]);
}

#[tokio::test]
async fn who_removes_a_shared_view_of_another_stands_in_the_audit_without_its_filter() {
    let stage = ann_has_a_shared_view_and_one_of_her_own().await;
    let engine = stage.redis.engine();
    let (ann, bob) = (engine.operator("ann"), engine.operator("bob"));

    assert!(!bob.remove_shared_view("ann", "mine").await.unwrap());
    assert!(bob.remove_shared_view("ann", "for all").await.unwrap());
    assert!(!bob.remove_shared_view("ann", "for all").await.unwrap());
    assert!(ann.remove_view("mine").await.unwrap());

    let page = engine.inspector().audit(&AuditFilter::default(), None, 9).await.unwrap();
    let told = page.items.iter().map(|entry| {
        let said =
            [&entry.by, &entry.verb, &entry.target, &entry.outcome, &entry.from, &entry.to, &entry.why];
        said.map(String::as_str)
    });
    assert_eq!(told.collect::<Vec<_>>(), [["bob", "remove_view", "ann/for all", "removed", "", "", ""]]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_view_takes_the_place_of_another_only_where_that_is_asked_for() {
    let stage = Stage::new().await;
    let engine = stage.redis.engine();
    let ann = engine.operator("ann");
    let kept = async || engine.inspector().views("ann").await.unwrap();
    let other = SavedView::new(" mine ", StateGroup::Delay, "kind:mail".parse().unwrap());
    let first = ann.save_view(view("mine")).await.unwrap().unwrap();

    assert_eq!(ann.save_view(other.clone()).await.unwrap(), None);
    assert_eq!(kept().await, [first]);

    let second = ann.replace_view(other).await.unwrap();
    assert_eq!((second.name.as_str(), kept().await), ("mine", vec![second.clone()]));
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_person_who_is_removed_leaves_the_views_that_others_see() {
    let stage = Stage::new().await;
    let engine = stage.redis.engine();
    let name: PersonName = "ann".parse().unwrap();
    People::new(engine).add(&name, Role::Operator, &[], "root").await.unwrap();
    let (ann, anna) = (engine.operator("ann"), engine.operator("anna"));
    let mut shared = view("for all");
    shared.shared = true;
    ann.save_view(shared).await.unwrap();
    ann.save_view(view("mine")).await.unwrap();
    anna.save_view(view("mine")).await.unwrap();

    People::new(engine).remove(&name, "root", "left").await.unwrap();

    let names = async |me: &str| -> Vec<String> {
        let views = engine.inspector().views(me).await.unwrap();
        views.iter().map(|view| format!("{} of {}", view.name, view.owner)).collect()
    };
    assert_eq!(names("ann").await, ["for all of ann"]);
    assert_eq!(names("anna").await, ["for all of ann", "mine of anna"]);
}

#[tokio::test]
async fn a_person_who_is_removed_in_one_namespace_leaves_the_views_of_the_same_name_in_another() {
    let (shop, billing) = (Stage::new().await, Stage::new().await);
    let name: PersonName = "ann".parse().unwrap();
    for stage in [&shop, &billing] {
        let engine = stage.redis.engine();
        People::new(engine).add(&name, Role::Operator, &[], "root").await.unwrap();
        engine.operator("ann").save_view(view("mine")).await.unwrap();
    }

    People::new(shop.redis.engine()).remove(&name, "root", "left").await.unwrap();

    let kept = async |stage: &Stage| stage.redis.engine().inspector().views("ann").await.unwrap().len();
    assert_eq!((kept(&shop).await, kept(&billing).await), (0, 1), "each has people of its own");
    assert!(People::new(billing.redis.engine()).get(&name).await.unwrap().is_some());
}
