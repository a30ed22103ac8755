/** Enqueue, cancel and work on the delayed jobs of a Reprieve server. */

export type { ClaimedJob, Job, NewJob, Standing, State, SubjectCancelled } from "./api.js";
export { Client, type ClientOptions, type Once } from "./client.js";
export { Conflict, Invalid, LeaseLost, NotAllowed, NotFound, ReprieveError, Unavailable } from "./errors.js";
export { type ActiveJob, Fatal, type Handler, Retry, Snooze, Stopped, type StopReason } from "./worker.js";
export { Worker, type WorkerOptions } from "./worker.js";
