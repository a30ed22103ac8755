//! The program: dashboard, HTTP API, scheduler and outlets.
