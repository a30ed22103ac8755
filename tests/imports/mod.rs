//! Importers: foreign queues observed, taken over and rolled back, on a real Redis.

mod asynq;
mod bullmq;
mod crashes;
mod delayq;
mod elsewhere;
mod peers;
mod recognised;
mod recorded;
mod scene;
mod shards;
mod warnings;
mod zset;
