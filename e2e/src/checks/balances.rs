//! A project's account as the command line prints it.

use serde_json::Value;

use crate::amounts::ten_billionths;
use crate::server::Server;

/// Balance, held amount and cost so far of a project, in ten-billionths of a dollar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    pub balance: i128,
    pub held: i128,
    pub cost: i128,
    /// The number of synchronous calls and steps.
    pub requests: u64,
}

impl Account {
    /// The account of a project that has a balance.
    pub fn of(server: &Server, project: &str) -> Self {
        let projects = command_json(server, &["projects", "list", "--json"]);
        let listed = projects.as_array().into_iter().flatten().find(|listed| listed["name"] == project);
        let account = listed.unwrap_or_else(|| panic!("there is no project `{project}`")).clone();
        let amount = |name: &str| ten_billionths(account[name].as_str().expect("an amount"));
        let usage = command_json(server, &["projects", "usage", project, "--json"]);
        let cost = usage[0]["usage"]["cost_usd"].as_str().map_or(0, ten_billionths);
        let requests = usage[0]["requests"].as_u64().unwrap_or(0);
        Self { balance: amount("balance_usd"), held: amount("held_usd"), cost, requests }
    }
}

/// The JSON that a command prints.
pub fn command_json(server: &Server, arguments: &[&str]) -> Value {
    let printed = server.auris(arguments);
    serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}"))
}
