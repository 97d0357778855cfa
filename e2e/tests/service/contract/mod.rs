//! The contract: routes, boundary values of every request schema, and input that is not a valid request.

mod body_boundaries;
mod console_bodies;
mod console_routes;
mod content_types;
mod document;
mod expected_answer;
mod form_boundaries;
mod garbage;
mod multipart_garbage;
mod parameter_boundaries;
mod routes;
mod slow_requests;
mod torn_requests;
mod unreadable_requests;
