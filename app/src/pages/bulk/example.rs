//! A run as tests of its pages have it.

use reprieve::model::{BulkRun, BulkState};

/// A hold of ten jobs of which four are still to come.
pub(super) fn run(id: &str, state: BulkState) -> BulkRun {
    serde_json::from_value(serde_json::json!({
        "id": id, "verb": "hold", "state": state, "spread_ms": 0, "stops_itself": false, "acts_on_changed": false,
        "spares_started": false, "by": "ann", "reason": "", "created_ms": 1, "ended_by": "", "ended_why": "",
        "looked_at": 10, "cut": false, "total": 10, "pending": 4, "changed": 3, "skipped": 2, "failed": 1, "words": {},
        "split": {}, "went_well": 0, "failed_again": 0, "undoable": 3,
    }))
    .unwrap()
}
