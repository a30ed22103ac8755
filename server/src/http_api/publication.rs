//! Where a job was handed to, as the API shows it.

use super::views::view;
use reprieve::model::{Publication, SinkKind, Timestamp};

view! {
    /// Where the latest attempt was handed to, and who took it there.
    pub(super) struct PublicationView as Publication from publication: Publication {
        /// The sink, by its name in the configuration.
        sink: String,
        /// `stream`, `list` or `asynq`.
        r#type: SinkKind = publication.kind,
        /// The key of the stream or list, or the name of asynq's queue.
        place: String,
        /// The consumer group; null where there is none.
        group: Option<String>,
        /// The id of the stream's entry or of asynq's task; for a list that of the job.
        entry: String,
        /// When it was published.
        published_ms: Timestamp = publication.at,
        /// Who took it, as far as the place tells; null while nobody was seen to.
        taken_by: Option<String>,
        /// Since when they have it; null like `taken_by`.
        taken_ms: Option<Timestamp> = publication.taken,
    }
}
