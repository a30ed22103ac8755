//! The name of a change, under which it can be asked for again.

use super::exit::{Failure, fresh_operation, under};
use super::session::Session;
use reprieve::{Error, Operator};

/// The name of a change to something else than jobs.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Named {
    /// Name of this act, for safe repeats: another run under the same name gets the first answer
    #[arg(long = "idempotency-key", value_name = "NAME", default_value_t = fresh_operation(), hide_default_value = true)]
    operation: String,
}

impl Named {
    /// Somebody who makes the change under that name.
    pub(crate) fn operator(&self, session: &Session) -> Operator {
        session.operator().operation(self.operation.as_str())
    }

    /// How it ends when it went wrong.
    pub(crate) fn failure(&self, error: Error) -> Failure {
        under(&self.operation, error)
    }
}
