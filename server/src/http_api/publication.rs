//! Where a job was handed to, as the API shows it.

use reprieve::model::{Publication, Timestamp, Way};
use serde::Serialize;
use utoipa::ToSchema;

/// Where the latest attempt was handed to, and who took it there.
#[derive(Serialize, ToSchema)]
#[schema(as = Publication)]
pub(super) struct PublicationView {
    /// The sink, by its name in the configuration.
    sink: String,
    /// `stream`, `list` or `asynq`.
    #[schema(value_type = String)]
    r#type: Way,
    /// The key of the stream or list, or the name of asynq's queue.
    place: String,
    /// The consumer group; null where there is none.
    #[schema(required)]
    group: Option<String>,
    /// The id of the stream's entry or of asynq's task; for a list that of the job.
    entry: String,
    /// When it was handed out.
    #[schema(value_type = i64)]
    published_ms: Timestamp,
    /// Who took it, as far as the place tells; null while nobody was seen to.
    #[schema(required)]
    taken_by: Option<String>,
    /// Since when they have it; null like `taken_by`.
    #[schema(value_type = Option<i64>, required)]
    taken_ms: Option<Timestamp>,
}

impl From<Publication> for PublicationView {
    fn from(publication: Publication) -> Self {
        Self {
            sink: publication.sink,
            r#type: publication.way,
            place: publication.place,
            group: publication.group,
            entry: publication.entry,
            published_ms: publication.at,
            taken_by: publication.taken_by,
            taken_ms: publication.taken,
        }
    }
}
