//! The contract suite: routes, edges of every request schema, and everything that is not a request at all.
#![expect(clippy::expect_used, reason = "in a test a broken expectation is a failed test")]

mod body_edges;
mod document;
mod expected;
mod form_edges;
mod garbage;
mod multipart_garbage;
mod parameter_edges;
mod routes;
mod torn_requests;
mod unreadable_requests;
