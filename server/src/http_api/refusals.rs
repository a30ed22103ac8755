//! The refusals that more than one route describes, for the document of the API.

use utoipa::IntoResponses;

macro_rules! refusals {
    ($($name:ident: $status:literal, $description:literal;)*) => {$(
        #[derive(IntoResponses)]
        #[response(status = $status, description = $description)]
        pub(super) struct $name;
    )*};
}

refusals! {
    BatchClosed: 409, "It is closed, and a job is new; nothing was changed.";
    LeaseLost: 409, "The lease was lost; nothing was changed.";
    NoSuchBatch: 404, "There is no such batch, or not any more.";
    NoSuchEntry: 404, "There is no such entry.";
    NoSuchJob: 404, "There is no such job, or not any more.";
    NoSuchPlan: 404, "There is no such plan, or not any more.";
    NoSuchRun: 404, "There is no such run, or not any more.";
    StandsElsewhere: 409, "Nothing was changed; the problem says where the job stands.";
    Unchanged: 409, "Nothing was changed; the problem says why.";
}
