//! The refusals that more than one route describes, for the document of the API.

#![expect(dead_code, reason = "they describe what `problem` writes; none is ever made")]

use crate::problem::ProblemView;
use utoipa::IntoResponses;

#[derive(IntoResponses)]
#[response(
    status = 409,
    description = "It is closed, and a job is new; nothing was changed.",
    content_type = "application/problem+json"
)]
pub(super) struct BatchClosed(ProblemView);

#[derive(IntoResponses)]
#[response(
    status = 409,
    description = "The lease was lost; nothing was changed.",
    content_type = "application/problem+json"
)]
pub(super) struct LeaseLost(ProblemView);

#[derive(IntoResponses)]
#[response(
    status = 404,
    description = "There is no such batch, or not any more.",
    content_type = "application/problem+json"
)]
pub(super) struct NoSuchBatch(ProblemView);

#[derive(IntoResponses)]
#[response(status = 404, description = "There is no such entry.", content_type = "application/problem+json")]
pub(super) struct NoSuchEntry(ProblemView);

#[derive(IntoResponses)]
#[response(
    status = 404,
    description = "There is no such job, or not any more.",
    content_type = "application/problem+json"
)]
pub(super) struct NoSuchJob(ProblemView);

#[derive(IntoResponses)]
#[response(
    status = 404,
    description = "There is no such plan, or not any more.",
    content_type = "application/problem+json"
)]
pub(super) struct NoSuchPlan(ProblemView);

#[derive(IntoResponses)]
#[response(
    status = 404,
    description = "There is no such run, or not any more.",
    content_type = "application/problem+json"
)]
pub(super) struct NoSuchRun(ProblemView);

#[derive(IntoResponses)]
#[response(
    status = 409,
    description = "Nothing was changed; the problem says where the job stands.",
    content_type = "application/problem+json"
)]
pub(super) struct StandsElsewhere(ProblemView);

#[derive(IntoResponses)]
#[response(
    status = 409,
    description = "Nothing was changed; the problem says why.",
    content_type = "application/problem+json"
)]
pub(super) struct Unchanged(ProblemView);
