//! The namespaces of this server, for the switch in the frame.

use leptos::prelude::{provide_context, use_context};
use reprieve::Engine;
use std::fmt::Display;
use std::sync::Arc;

use reprieve::model::Colour;

/// One namespace, and the name under which this server shows it.
#[derive(Debug, Clone)]
pub struct Place {
    engine: Engine,
    host: String,
    https: bool,
    tls: bool,
}

impl Place {
    /// A namespace under that host name, without a port.
    pub fn new(engine: Engine, host: impl Into<String>, https: bool) -> Self {
        Self { engine, host: host.into(), https, tls: false }
    }

    /// The same on a server that speaks TLS itself, at the port where the visitor came in.
    pub const fn under_tls(mut self, tls: bool) -> Self {
        self.tls = tls;
        self
    }

    /// Where it is, for a visitor who came by this port.
    pub fn origin(&self, port: Option<&str>) -> String {
        origin(&self.host, self.https, self.tls, port)
    }
}

/// Where a host is, for a visitor who came by this port: under `https` if a proxy adds TLS, or the server speaks it.
pub fn origin(host: &str, https: bool, tls: bool, port: Option<impl Display>) -> String {
    let scheme = if tls || https { "https" } else { "http" };
    // A proxy that adds TLS has a port of its own, which is the usual one unless the host names another.
    match port.filter(|_| (tls || !https) && !host.contains(':')) {
        Some(port) => format!("{scheme}://{host}:{port}"),
        None => format!("{scheme}://{host}"),
    }
}

/// A namespace of this server, and where it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlaceLink {
    /// Its name.
    pub name: String,
    /// What people call it; empty for its name.
    pub title: String,
    /// The colour of its mark.
    pub colour: Colour,
    /// The beginning of its addresses: `http://billing.localhost:8080/jobs`.
    pub address: String,
}

#[derive(Clone)]
struct Places(Arc<[Place]>);

/// Tells the frame which namespaces there are; none where there is only one.
pub fn provide(places: Arc<[Place]>) {
    provide_context(Places(places));
}

/// All of them, as links for this visitor.
pub(crate) fn links() -> Vec<PlaceLink> {
    let Some(Places(places)) = use_context::<Places>() else { return Vec::new() };
    let origin = crate::access::origin();
    let authority = origin.rsplit_once("//").map_or("", |(_, authority)| authority);
    let port = authority.rsplit_once(':').map(|(_, port)| port).filter(|port| port.parse::<u16>().is_ok());
    let base = crate::access::site().base;
    let link = |place: &Place| {
        let look = place.engine.latest_settings().look.clone();
        PlaceLink {
            name: place.engine.namespace().to_string(),
            title: look.title,
            colour: look.colour,
            address: format!("{}{base}", place.origin(port)),
        }
    };
    places.iter().map(link).collect()
}
