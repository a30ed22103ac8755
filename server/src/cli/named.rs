//! Why something is changed, and the name under which the change can be asked for again.

use super::exit::{Failure, fresh_operation, under};
use super::session::Session;
use clap::Args;
use reprieve::{Error, Operator};

/// Why something is done.
#[derive(Debug, Clone, Args)]
pub(crate) struct Reason {
    /// Why; people see it beside what was changed, and in the audit
    #[arg(
        id = "reason",
        long = "reason",
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) text: String,
}

/// The name of an act.
#[derive(Debug, Clone, Args)]
pub(crate) struct Key {
    /// A key of your own for this act: running it again with the same key returns the first answer
    #[arg(long = "idempotency-key", value_name = "NAME", default_value_t = fresh_operation(), hide_default_value = true)]
    pub(crate) operation: String,
}

impl Key {
    /// Somebody who makes the change under that name.
    pub(crate) fn operator(&self, session: &Session) -> Operator {
        session.operator().operation(self.operation.as_str())
    }

    /// How it ends when it went wrong.
    pub(crate) fn failure(&self, error: Error) -> Failure {
        under(&self.operation, error)
    }
}

/// Why something is done, and the name of that.
#[derive(Debug, Clone, Args)]
pub(crate) struct Named {
    #[command(flatten)]
    pub(crate) reason: Reason,
    #[command(flatten)]
    pub(crate) key: Key,
}
