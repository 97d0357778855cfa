//! The web console and the operator API.

mod attacks;
mod browser;
mod downloads;
mod first_link;
mod jobs;
mod lists;
mod models;
mod operator_api;
mod outside;
mod pages;
mod sign_in;
