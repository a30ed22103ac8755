//! The flags that `serve`, `demo` and `worker` have in common.

use clap::{Args, ValueHint};

/// What `serve`, `demo` and `worker` have in common.
///
/// Texts are checked together with the configuration file, so that all mistakes show at once.
#[derive(Debug, Clone, Default, Args)]
#[non_exhaustive]
pub struct Flags {
    /// Address of the dashboard; with TLS it may be one that other machines reach [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<String>,
    /// Speak TLS with this certificate, in PEM, and those that lead to its authority
    #[arg(long, value_name = "FILE")]
    pub tls_cert_file: Option<String>,
    /// The key of that certificate, in PEM
    #[arg(long, value_name = "FILE")]
    pub tls_key_file: Option<String>,
    /// Let other machines come without TLS: only where something else encrypts all of the way
    #[arg(long)]
    pub insecure_plain_http: bool,
    /// Where the jobs are.
    #[command(flatten)]
    pub place: PlaceFlags,
    /// Whether the directory of the embedded Redis was not named, and is where it would be: it puts no other Redis aside.
    #[arg(skip)]
    pub is_data_unnamed: bool,
    /// Answer what people do once that many replicas have it [default: 0]
    #[arg(long, value_name = "NUMBER")]
    pub confirm_replicas: Option<String>,
    /// Whether no screens are shown, or those of one namespace alone: under which names others would be does not matter then.
    #[arg(skip)]
    pub shows_nothing: bool,
    /// Do not work on due jobs here
    #[arg(long)]
    pub no_work: bool,
    /// Log one JSON object a line
    #[arg(long)]
    pub json: bool,
    /// Whether people sign in: required, or off: then everybody on this machine may do all [default: required]
    #[arg(long, value_name = "WHEN")]
    pub login: Option<String>,
    /// Whether the HTTP API asks for a token: off or required [default: as --login]
    #[arg(long, value_name = "WHEN")]
    pub api_auth: Option<String>,
    /// Send jobs of these kinds to this URL; may be repeated
    #[arg(long, value_name = "KIND_GLOB=URL")]
    pub webhook: Vec<String>,
    /// Let the webhooks of --webhook reach private addresses and this machine
    #[arg(long)]
    pub webhook_allow_private: bool,
    /// Answer to this host name too, for instance behind a proxy; may be repeated
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
    /// Believe a proxy at this address or in this network where visitors come from; may be repeated
    #[arg(long, value_name = "ADDRESS")]
    pub trusted_proxy: Vec<String>,
    /// Serve everything below this path, such as /jobs
    #[arg(long, value_name = "PATH")]
    pub base_path: Option<String>,
}

/// Where the jobs are, and which file says more: what every command takes.
#[derive(Debug, Clone, Default, Args)]
#[non_exhaustive]
pub struct PlaceFlags {
    /// Directory of the embedded Redis [default: ./reprieve-data; of the demo: ./reprieve-demo-data]
    #[arg(long, global = true, value_name = "DIRECTORY", value_hint = ValueHint::DirPath)]
    pub data: Option<String>,
    /// Use this Redis instead of the embedded one: redis://, rediss://, unix:, redis+cluster:// or redis+sentinel://
    #[arg(long, global = true, value_name = "URL")]
    pub redis: Option<String>,
    /// Trust only a Redis that one of these certificates has signed for
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub redis_ca_file: Option<String>,
    /// Show this certificate to a Redis that wants client certificates
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub redis_cert_file: Option<String>,
    /// The private key of that certificate
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub redis_key_file: Option<String>,
    /// Shards of the namespace, fixed at its first use [default: 1]
    #[arg(long, global = true, value_name = "NUMBER")]
    pub shards: Option<String>,
    /// Namespace of the jobs; a server takes several with commas between, the main one first [default: default]
    #[arg(long, global = true, value_name = "NAME")]
    pub namespace: Option<String>,
    /// Configuration file [default: reprieve.toml, if it is there]
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<String>,
}

impl Flags {
    /// The same with this directory for the embedded Redis, where none is named.
    #[must_use]
    pub fn or_data(mut self, directory: &str) -> Self {
        self.is_data_unnamed = self.place.data.is_none();
        self.place.data.get_or_insert_with(|| directory.to_owned());
        self
    }
}
