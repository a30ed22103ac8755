//! Who vouches for people: one provider of OpenID Connect, and what its groups may do here.

use super::address::read_http;
use super::document::Section;
use super::listen::is_loopback;
use super::login::Login;
use super::secret::Secret;
use super::sources::Sources;
use super::webhook::read_secret;
use reprieve::model::{Namespace, QueueName, Role};
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use url::{Host, Url};

/// Groups that mean something here: more are a mistake, or want groups of their own.
const GROUPS_MAX: usize = 200;
/// What is asked for when nothing else is said. `openid` always is.
const SCOPES: [&str; 3] = ["openid", "profile", "email"];
/// The variable with the secret, which wins over the file.
const SECRET: &str = "REPRIEVE_OIDC_CLIENT_SECRET";

/// `[oidc]`: a provider that proves who people are.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OidcConfig {
    /// Its name as it stands in everything it signs.
    pub issuer: String,
    /// What it calls us.
    pub client_id: String,
    /// What proves that to it; a public client has none.
    pub client_secret: Option<Secret>,
    /// What the button to sign in calls it.
    pub label: String,
    /// What we ask it for.
    pub scopes: Vec<String>,
    /// The claim that names people here.
    pub name_claim: String,
    /// The claim with their groups.
    pub groups_claim: String,
    /// What groups may do; the first that somebody is in decides. Who is in none is refused.
    pub groups: Vec<GroupConfig>,
}

/// One `[[oidc.group]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GroupConfig {
    /// What the provider calls it, compared as it stands.
    pub name: String,
    /// What people in it are here.
    pub role: Role,
    /// In which queues; empty for all.
    pub queues: Vec<QueueName>,
    /// In which namespaces of the program; empty for its main one alone.
    pub namespaces: Vec<Namespace>,
}

impl GroupConfig {
    /// A group whose people are that in the main namespace, in these queues; in all if there are none.
    #[must_use]
    pub const fn new(name: String, role: Role, queues: Vec<QueueName>) -> Self {
        Self { name, role, queues, namespaces: Vec::new() }
    }

    /// The same for people of these namespaces, and of no other.
    #[must_use]
    pub fn only_in(mut self, namespaces: Vec<Namespace>) -> Self {
        self.namespaces = namespaces;
        self
    }

    /// Those of these groups that mean something there.
    pub(crate) fn of(groups: &[Self], namespace: &Namespace, is_main: bool) -> Vec<Self> {
        let means = |group: &&Self| match group.namespaces.as_slice() {
            [] => is_main,
            named => named.contains(namespace),
        };
        groups.iter().filter(means).cloned().collect()
    }

    /// The first of these groups that is among somebody's.
    pub(crate) fn first_among(groups: &[Self], theirs: &[&str]) -> Option<Self> {
        groups.iter().find(|group| theirs.contains(&group.name.as_str())).cloned()
    }
}

impl OidcConfig {
    /// A provider with what is asked for when nothing else is said.
    ///
    /// # Errors
    /// A sentence, for an issuer that may not be asked.
    pub fn new(issuer: &str, client_id: &str) -> Result<Self, String> {
        Ok(Self {
            issuer: read_issuer(issuer)?,
            client_id: client_id.to_owned(),
            client_secret: None,
            label: "OpenID Connect".to_owned(),
            scopes: SCOPES.map(ToOwned::to_owned).to_vec(),
            name_claim: "preferred_username".to_owned(),
            groups_claim: "groups".to_owned(),
            groups: Vec::new(),
        })
    }

    /// The provider with the groups of that namespace; `None` if none of them may come in there.
    pub(crate) fn at(&self, namespace: &Namespace, is_main: bool) -> Option<Self> {
        let groups = GroupConfig::of(&self.groups, namespace, is_main);
        (!groups.is_empty()).then(|| Self { groups, ..self.clone() })
    }

    /// Reads `[oidc]`.
    pub(super) fn read(from: &Sources<'_>, login: Login) -> Option<Self> {
        from.root.table("oidc", |section| {
            login.check(section);
            let mut config = Self::from_section(section)?;
            if let Some(given) = from.variable(SECRET) {
                config.client_secret = Some(Secret::new(given.value));
            }
            Some(config)
        })?
    }

    fn from_section(section: &Section<'_>) -> Option<Self> {
        let issuer = section.read_required("issuer", read_issuer);
        let client_id = section.required("client_id");
        let secret = section.read("client_secret_file", |path| read_secret(Path::new(path)));
        let text = |key| section.text(key).map(|given| given.value);
        let (label, name_claim, groups_claim) = (text("label"), text("name_claim"), text("groups_claim"));
        let mut scopes = section.read_texts("scopes", read_scope);
        let groups = read_groups(section);

        let mut config = Self::new(&issuer?, &client_id?.value).ok()?;
        config.client_secret = secret;
        config.groups = groups;
        if !scopes.is_empty() {
            if !scopes.iter().any(|scope| scope == "openid") {
                scopes.insert(0, "openid".to_owned());
            }
            config.scopes = scopes;
        }
        config.label = label.unwrap_or(config.label);
        config.name_claim = name_claim.unwrap_or(config.name_claim);
        config.groups_claim = groups_claim.unwrap_or(config.groups_claim);
        Some(config)
    }
}

/// Every `[[….group]]`.
pub(super) fn read_groups(section: &Section<'_>) -> Vec<GroupConfig> {
    let groups = section.tables("group", read_group);
    if groups.is_empty() || groups.len() > GROUPS_MAX {
        section.note(format!(
            "this needs 1 to {GROUPS_MAX} groups that may come in, or it could let nobody in; there are {}",
            groups.len()
        ));
    }
    groups
}

fn read_group(section: &Section<'_>) -> Option<GroupConfig> {
    let name = section.required("name");
    let role = section.read_required("role", str::parse::<Role>);
    let queues = read_names(section, "queues");
    let namespaces = read_names(section, "namespaces");
    Some(GroupConfig::new(name?.value, role?, queues?).only_in(namespaces?))
}

/// Names that narrow something down. `None` if one does not read: without it the rest could mean all of them.
fn read_names<N: FromStr<Err: fmt::Display>>(section: &Section<'_>, key: &'static str) -> Option<Vec<N>> {
    let given = section.texts(key);
    let names = section.notes.read_all(&given, str::parse::<N>);
    (names.len() == given.len()).then_some(names)
}

fn read_scope(text: &str) -> Result<String, String> {
    let fits = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
    if text.is_empty() || !text.bytes().all(fits) {
        return Err(format!("{text:?} is not a scope: one word each, without quotes"));
    }
    Ok(text.to_owned())
}

fn read_issuer(text: &str) -> Result<String, String> {
    let url = read_http(text, "the issuer")?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("the issuer has a user name, which none has".to_owned());
    }
    if !may_be_asked(&url, &url) {
        return Err("the issuer is not https, so anyone on the way could sign in as anybody; \
                    http is for a provider on this machine alone"
            .to_owned());
    }
    Ok(text.to_owned())
}

/// Whether we send and ask there: under TLS, or on this machine if the issuer itself is there.
pub(crate) fn may_be_asked(url: &Url, issuer: &Url) -> bool {
    let here = |url: &Url| match url.host() {
        Some(Host::Ipv4(address)) => is_loopback(address.into()),
        Some(Host::Ipv6(address)) => is_loopback(address.into()),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    };
    match url.scheme() {
        "https" => url.host().is_some(),
        "http" => issuer.scheme() == "http" && here(url) && here(issuer),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_means_something_in_the_main_namespace_unless_it_names_others() {
        let namespace = |name: &str| name.parse::<Namespace>().unwrap();
        let group = |name: &str| GroupConfig::new(name.to_owned(), Role::Admin, Vec::new());
        let mut provider = OidcConfig::new("https://login.example", "a").unwrap();
        provider.groups = vec![
            group("here"),
            group("there").only_in(vec![namespace("billing")]),
            group("both").only_in(vec![namespace("shop"), namespace("billing")]),
        ];
        let at = |name: &str, is_main| {
            let groups = provider.at(&namespace(name), is_main)?.groups;
            Some(groups.into_iter().map(|group| group.name).collect::<Vec<_>>())
        };

        assert_eq!(at("shop", true).unwrap(), ["here", "both"]);
        assert_eq!(at("billing", false).unwrap(), ["there", "both"]);
        assert_eq!(at("stock", false), None, "nobody may come in there by it");
    }

    #[test]
    fn only_a_provider_on_this_machine_is_asked_without_tls() {
        for fits in
            ["https://login.example", "https://a.example/realms/x", "http://127.0.0.1:1/", "http://[::1]:1"]
        {
            assert!(read_issuer(fits).is_ok(), "{fits}");
        }
        for not in [
            "",
            "login.example",
            "http://login.example",
            "http://127.0.0.1.example",
            "http://10.0.0.1",
            "ftp://localhost",
            "https://user:canary@login.example",
            "https://login.example?a=b",
            "https://login.example#a",
        ] {
            let why = read_issuer(not).unwrap_err();
            assert!(!why.contains("canary"), "{why}");
        }
        let url = |text: &str| text.parse::<Url>().unwrap();
        assert!(may_be_asked(&url("https://keys.example/a"), &url("https://login.example")));
        for (asked, issuer) in [
            ("http://127.0.0.1/token", "https://login.example"),
            ("http://login.example/token", "https://login.example"),
            ("http://login.example/token", "http://127.0.0.1"),
            ("file:///etc/passwd", "https://login.example"),
        ] {
            assert!(!may_be_asked(&url(asked), &url(issuer)), "{asked} of {issuer}");
        }
    }
}
