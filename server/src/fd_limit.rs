//! File handles: as many as the system allows, and no more visitors than there are handles for.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Connections at once, where handles allow it.
const CONNECTIONS_MAX: usize = 1_024;
/// Connections at once, however few handles there are.
const CONNECTIONS_MIN: usize = 16;
/// FdLimit for everything else: Redis, webhooks under way, certificates, the runtime itself.
const KEPT: usize = 112;

/// Raises the limit of this process to what the system allows it at most, which is more than most are started with.
pub(crate) fn raise() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    if let Err(why) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        tracing::debug!(%why, "the limit of file handles stays as it is: {why}");
    }
    let connections = connections_max();
    if connections < CONNECTIONS_MAX {
        tracing::warn!(
            connections,
            "there are file handles for {connections} connections at once instead of {CONNECTIONS_MAX}; \
             allow more with `ulimit -n` or LimitNOFILE="
        );
    }
}

/// Connections that this process takes at once.
pub(crate) fn connections_max() -> usize {
    getrlimit(Resource::Nofile)
        .current
        .map_or(CONNECTIONS_MAX, |handles| among(usize::try_from(handles).unwrap_or(usize::MAX)))
}

/// Connections among so many handles.
fn among(handles: usize) -> usize {
    handles.saturating_sub(KEPT).clamp(CONNECTIONS_MIN, CONNECTIONS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visitors_have_the_handles_that_nobody_else_needs() {
        assert_eq!([64, 256, 1_024, 1_136, 1_000_000].map(among), [16, 144, 912, 1_024, 1_024]);
    }
}
