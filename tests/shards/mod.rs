//! A namespace in several shards: jobs of a subject together, everything else over all of them.

mod scene;

mod bulk;
mod homes;
mod lists;
mod namespace;
mod running;
mod silent;
