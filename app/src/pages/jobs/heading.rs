//! What a column is called in a list.

use reprieve::model::StateGroup;

use super::{own, when};
use crate::list::Column;
use crate::t;

/// The heading of a column in that list.
pub(super) fn heading(column: Column, group: StateGroup) -> String {
    match column {
        Column::When => when::heading(group),
        Column::Job => t!("jobs-job"),
        Column::Queue => t!("jobs-queue"),
        Column::Own => own::heading(group),
    }
}
