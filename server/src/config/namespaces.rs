//! The other namespaces that one dashboard shows, and the names it answers to for each.

use super::document::Section;
use super::listen::AllowedHost;
use super::mistake::{Given, Notes};
use super::sources::{Sources, flag};
use reprieve::model::{Namespace, SHARDS_MAX};

/// Namespaces of one program: each has duties that look at Redis every second.
const NAMESPACES_MAX: usize = 20;

/// One namespace of several.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamespaceConfig {
    /// Its name.
    pub name: Namespace,
    /// The host name under which the dashboard shows it.
    pub host: AllowedHost,
    /// How many shards it has, if that is said.
    pub shards: Option<u16>,
}

impl NamespaceConfig {
    /// The namespace under `<name>.localhost`, which browsers find on this machine by themselves.
    fn here(name: Namespace) -> Result<Self, String> {
        let host = AllowedHost::read(&format!("{name}.localhost"))?;
        Ok(Self { name, host, shards: None })
    }

    fn shares_host(&self, other: &AllowedHost) -> bool {
        self.host.name == other.name
    }
}

/// Reads the namespaces: the main one with its host and its shards, and the others.
pub(super) fn read(
    from: &Sources<'_>,
    allowed_hosts: &[AllowedHost],
) -> (Namespace, AllowedHost, Option<u16>, Vec<Given<NamespaceConfig>>) {
    let given =
        flag("--namespace", from.flags.place.namespace.as_ref()).or(from.variable("REPRIEVE_NAMESPACE"));
    let given = given.or(from.root.text("namespace"));
    let (namespace, named) = from.notes.read(given.as_ref(), read_names).unwrap_or_default();
    let named = named.into_iter().zip(given.iter().cycle());
    let named = named.map(|(value, given)| Given { value, origin: given.origin.clone() }).collect();
    let (own, others) = joined(&namespace, of_file(from.root), named);
    let shards = own.as_ref().and_then(|own| own.shards);
    let host = own
        .map(|own| own.host)
        .or_else(|| own_host(allowed_hosts, &others).cloned())
        .unwrap_or_else(AllowedHost::localhost);
    if !from.flags.shows_nothing {
        refuse_shared_hosts((&namespace, &host), &others, from.notes);
    }
    (namespace, host, shards, others)
}

/// Reads every `[[namespaces]]`, each with the line that says its host, or where it begins.
fn of_file(root: &Section<'_>) -> Vec<Given<NamespaceConfig>> {
    let mut namespaces: Vec<Given<NamespaceConfig>> = Vec::new();
    root.tables("namespaces", |section| {
        let name = section.read_required("name", str::parse::<Namespace>);
        let host = section.text("host");
        let origin = host.as_ref().map_or_else(|| section.origin(), |host| host.origin.clone());
        let host = section.notes.read(host.as_ref(), AllowedHost::read);
        let shards = section.number_in("shards", 1..=SHARDS_MAX);
        let mut namespace = NamespaceConfig::here(name?).map_err(|why| section.note(why)).ok()?;
        namespace.host = host.unwrap_or(namespace.host);
        namespace.shards = shards;
        let twice = namespaces
            .iter()
            .any(|other| other.value.name == namespace.name || other.value.shares_host(&namespace.host));
        if twice {
            section.note(format!("name and host of namespace {} are there twice", namespace.name));
        } else if namespaces.len() == NAMESPACES_MAX {
            section.note(format!("at most {NAMESPACES_MAX} namespaces can be shown"));
        } else {
            namespaces.push(Given { value: namespace, origin });
        }
        Some(())
    });
    namespaces
}

/// Reads `shop` or `shop,billing`: the first is shown where no other is asked for.
///
/// # Errors
/// A sentence, for a name that is none and for one that is there twice.
fn read_names(text: &str) -> Result<(Namespace, Vec<NamespaceConfig>), String> {
    let mut names = Vec::new();
    for part in text.split(',') {
        let name: Namespace =
            part.trim().parse().map_err(|why: reprieve::model::InvalidName| why.to_string())?;
        if names.contains(&name) {
            return Err(format!("namespace {name} is there twice"));
        }
        names.push(name);
    }
    if names.len() > NAMESPACES_MAX {
        return Err(format!("at most {NAMESPACES_MAX} namespaces can be shown"));
    }
    let mut names = names.into_iter();
    let first = names.next().unwrap_or_default();
    Ok((first, names.map(NamespaceConfig::here).collect::<Result<_, _>>()?))
}

/// What the file says of the first, and the others: those of the file and those named beside the first.
fn joined(
    first: &Namespace,
    of_file: Vec<Given<NamespaceConfig>>,
    named: Vec<Given<NamespaceConfig>>,
) -> (Option<NamespaceConfig>, Vec<Given<NamespaceConfig>>) {
    let own = of_file.iter().find(|namespace| namespace.value.name == *first);
    let own = own.map(|namespace| namespace.value.clone());
    let mut others = of_file;
    for namespace in named {
        if !others.iter().any(|other| other.value.name == namespace.value.name) {
            others.push(namespace);
        }
    }
    others.retain(|namespace| namespace.value.name != *first);
    (own, others)
}

/// The host name of a first namespace that has no entry: the first of those allowed that is no other's; where there is none
/// the first of all, which is a mistake then.
fn own_host<'a>(allowed: &'a [AllowedHost], others: &[Given<NamespaceConfig>]) -> Option<&'a AllowedHost> {
    let is_own = |host: &&AllowedHost| !others.iter().any(|other| other.value.shares_host(host));
    allowed.iter().find(is_own).or_else(|| allowed.first())
}

/// Notes every namespace beside the first that has the host name of another: only one of the two could be reached.
fn refuse_shared_hosts(
    (first, host): (&Namespace, &AllowedHost),
    others: &[Given<NamespaceConfig>],
    notes: &Notes,
) {
    for (at, Given { value, origin }) in others.iter().enumerate() {
        let later = others.iter().skip(at + 1).map(|other| &other.value);
        let shared = later.filter(|other| other.shares_host(&value.host)).map(|other| &other.name);
        let with_first = Some(first).filter(|_| value.shares_host(host));
        for other in shared.chain(with_first) {
            let what = format!(
                "namespaces {} and {other} have the same host {}; give one of them another in its [[namespaces]]",
                value.name, value.host.name
            );
            notes.add(origin, what);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::mistake::Origin;
    use super::*;

    #[test]
    fn names_are_parted_by_commas_and_the_first_is_the_main_one() {
        let (first, others) = read_names("shop, billing,post").unwrap();
        assert_eq!(first.as_str(), "shop");
        let hosts: Vec<&str> = others.iter().map(|other| other.host.name.as_str()).collect();
        assert_eq!(hosts, ["billing.localhost", "post.localhost"]);
        assert!(read_names("shop").unwrap().1.is_empty());
        for wrong in ["", "a,,b", "a,a", "a b"] {
            assert!(read_names(wrong).is_err(), "{wrong:?} was accepted");
        }
    }

    #[test]
    fn the_file_decides_on_hosts_and_its_entry_of_the_main_one_gives_that_a_host_and_its_shards() {
        let (first, named) = read_names("shop,billing").unwrap();
        let entry = |name: &str, host: &str| NamespaceConfig {
            name: Namespace::new(name).unwrap(),
            host: AllowedHost::read(host).unwrap(),
            shards: Some(3),
        };
        let given = |value| Given { value, origin: Origin::Flag("--namespace") };
        let of_file = [entry("shop", "https://jobs.example"), entry("billing", "billing.example")];
        let (own, others) =
            joined(&first, of_file.map(given).into_iter().collect(), named.into_iter().map(given).collect());
        let own = own.unwrap();
        assert_eq!((own.host.name.as_str(), own.shards), ("jobs.example", Some(3)));
        assert_eq!(others, [given(entry("billing", "billing.example"))]);
    }
}
