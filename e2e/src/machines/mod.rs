//! A database and an object store that a test may kill and start again, and wires to them that it may hold up.

mod own_pooler;
mod own_postgres;
mod own_s3;
mod process;
mod wire;

pub use own_pooler::OwnPooler;
pub use own_postgres::OwnPostgres;
pub use own_s3::OwnS3;
pub use wire::Wire;
