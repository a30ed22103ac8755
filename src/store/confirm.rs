//! Writes that are answered once replicas have them.
//!
//! `WAIT` speaks of the connection it is sent on, so such a write has one to itself: from a small pool, for it is
//! blocked until the replicas have answered.

use super::Store;
use super::call::Call;
use super::connection::{Proof, WRITE_TIMEOUT};
use super::own_connection::OwnConnection;
use crate::error::{Error, Result};
use crate::store::reply::Reply;
use std::time::Duration;

/// How long replicas may take. They are a round trip away, or they do not answer at all.
const CONFIRM_TIMEOUT: Duration = Duration::from_secs(1);
impl Store {
    /// The same store, whose writes are answered once that many replicas have them, or after a second; every
    /// standing then says how many had it.
    #[must_use]
    pub fn confirming(&self, replicas: u32) -> Self {
        Self { confirm: replicas, ..self.clone() }
    }

    pub(super) async fn invoke_confirmed(&self, proof: Proof, call: &Call) -> Result<Reply> {
        let pool = self.connections.confirming();
        let prefix = self.keys.prefix();
        // An idle connection may have died, or lead to a server that is no longer the right one; a write can be
        // repeated, so a second attempt is made on a new one.
        let mut is_lost = false;
        if let Some(mut connection) = pool.take(prefix).filter(|own| self.connections.is_current(own)) {
            match self.confirmed_on(&mut connection, proof, call).await {
                Ok(reply) => {
                    pool.give_back(prefix, connection);
                    return Ok(reply);
                }
                Err(error) => is_lost = matches!(error, Error::OutcomeUnknown { .. }),
            }
        }
        let second = async {
            let mut connection = self.blocking().await?;
            let reply = self.confirmed_on(&mut connection, proof, call).await?;
            pool.give_back(prefix, connection);
            Ok(reply)
        };
        // Of the first attempt nothing is known where the second was not carried out.
        second.await.map_err(|error: Error| if is_lost { error.of_lost_answer() } else { error })
    }

    async fn confirmed_on(&self, own: &mut OwnConnection, proof: Proof, call: &Call) -> Result<Reply> {
        let (round, connection) = (own.round(), own.get());
        let writing = async {
            let reply = call.invoke(connection, self.connections.loading()).await?;
            let mut wait = redis::cmd("WAIT");
            wait.arg(self.confirm).arg(u64::try_from(CONFIRM_TIMEOUT.as_millis()).unwrap_or(1_000));
            let replicas: u32 = wait.query_async(connection).await?;
            Ok((reply, replicas))
        };
        let written = match tokio::time::timeout(WRITE_TIMEOUT + CONFIRM_TIMEOUT, writing).await {
            Ok(written) => {
                self.connections.judge(round, &written);
                self.conclude(proof, written)
            }
            Err(_) => {
                self.connections.timed_out(round);
                Err(Error::OutcomeUnknown { what: "redis did not answer in time".to_owned(), is_once: false })
            }
        };
        let (reply, replicas) = written?;
        Ok(reply.list()?.held_by(replicas))
    }
}
