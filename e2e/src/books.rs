//! A project's money as the command line tells it.

use serde_json::Value;

use crate::Server;
use crate::audit::ten_billionths;

/// What a project has, holds and has used, in ten-billionths of a dollar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Books {
    pub balance: i128,
    pub held: i128,
    pub cost: i128,
    /// Synchronous calls and steps.
    pub requests: u64,
}

impl Books {
    /// Of a project that has a balance.
    pub fn of(server: &Server, project: &str) -> Self {
        let projects = json(server, &["projects", "list", "--json"]);
        let listed = projects.as_array().into_iter().flatten().find(|listed| listed["name"] == project);
        let listed = listed.unwrap_or_else(|| panic!("no project `{project}`")).clone();
        let amount = |name: &str| ten_billionths(listed[name].as_str().expect("an amount"));
        let usage = json(server, &["projects", "usage", project, "--json"]);
        let cost = usage[0]["usage"]["cost_usd"].as_str().map_or(0, ten_billionths);
        let requests = usage[0]["requests"].as_u64().unwrap_or(0);
        Self { balance: amount("balance_usd"), held: amount("held_usd"), cost, requests }
    }
}

/// What a command prints as JSON.
pub fn json(server: &Server, words: &[&str]) -> Value {
    let printed = server.auris(words);
    serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}"))
}
