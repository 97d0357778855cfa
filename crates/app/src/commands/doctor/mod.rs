//! `auris doctor`: looks at everything that the service stands on, and says what to do where something is wrong.

mod blobs;
mod database;
mod machine;

use anyhow::bail;
use serde::Serialize;
use serde_json::json;

use super::{print, print_json};
use crate::config::Config;
use crate::data;

/// One thing that was looked at.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    check: &'static str,
    state: State,
    /// What was seen.
    found: String,
    /// What to do; empty where all is well.
    advice: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    Ok,
    /// The service runs, and something will hurt later.
    Warning,
    /// The service cannot do its work.
    Problem,
}

impl Finding {
    pub(super) fn ok(check: &'static str, found: impl Into<String>) -> Self {
        Self { check, state: State::Ok, found: found.into(), advice: String::new() }
    }

    pub(super) fn warning(check: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { check, state: State::Warning, found: found.into(), advice: advice.into() }
    }

    pub(super) fn problem(check: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { check, state: State::Problem, found: found.into(), advice: advice.into() }
    }

    /// The whole chain of an error, for it is the cause that helps.
    pub(super) fn failed(check: &'static str, error: &anyhow::Error, advice: impl Into<String>) -> Self {
        Self::problem(check, format!("{error:#}"), advice)
    }
}

/// Looks at everything; fails when there is a problem, so that a script can ask.
pub(crate) async fn run(as_json: bool, config: &Config) -> anyhow::Result<()> {
    let mut findings = machine::look(config);
    match data::connect(config).await {
        Ok(store) => {
            findings.extend(database::look(config, &store).await);
            store.close().await;
        }
        Err(error) => findings.push(Finding::failed(
            "database",
            &error,
            "start the database, or correct `database.url`; a password may be missing",
        )),
    }
    findings.extend(blobs::look(config).await);
    let problems = findings.iter().filter(|finding| finding.state == State::Problem).count();
    match as_json {
        true => print_json(&json!({"ok": problems == 0, "findings": findings}))?,
        false => findings.iter().try_for_each(|finding| print(&line(finding)))?,
    }
    match problems {
        0 => Ok(()),
        1 => bail!("there is a problem"),
        _ => bail!("there are {problems} problems"),
    }
}

fn line(finding: &Finding) -> String {
    let mark = match finding.state {
        State::Ok => "ok      ",
        State::Warning => "warning ",
        State::Problem => "PROBLEM ",
    };
    let line = format!("{mark} {}: {}", finding.check, finding.found);
    if finding.advice.is_empty() { line } else { format!("{line}\n         → {}", finding.advice) }
}
