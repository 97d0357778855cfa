//! Databases, object stores and a pooler that a test can kill and restart, and proxies that it can pause or cut.

mod frontend_messages;
mod pooler;
mod postgres_server;
mod process;
mod s3_server;
mod statement_proxy;
mod tcp_proxy;

pub use pooler::Pooler;
pub use postgres_server::PostgresServer;
pub use s3_server::S3Server;
pub use statement_proxy::{Cut, StatementProxy};
pub use tcp_proxy::TcpProxy;
