//! The web console and the operator API.

mod attacks;
mod browser;
mod jobs;
mod operator_api;
mod outside;
mod pages;
mod sign_in;
