//! `auris doctor`: checks everything the service depends on.

use anyhow::bail;
use auris_service::operator::doctor::{self, Finding, Health};

use super::{print, print_json};
use crate::config::Config;
use crate::wiring;

/// What to change before the checks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Repairs {
    pub(crate) adopt_blobs: bool,
    pub(crate) delete_orphans: bool,
}

/// Prints all findings. Fails if there is a problem, so that scripts can rely on the exit code.
pub(crate) async fn run(repairs: Repairs, as_json: bool, config: &Config) -> anyhow::Result<()> {
    if repairs.adopt_blobs {
        adopt(as_json, config).await?;
    }
    if repairs.delete_orphans {
        confirm_orphans(as_json, config).await?;
    }
    let installation = wiring::installation(config).await;
    let report = doctor::examine(&installation).await;
    installation.close().await;
    if as_json {
        print_json(&report)?;
    } else {
        report.findings.iter().try_for_each(|finding| print(&line(finding)))?;
    }
    match report.problems() {
        0 => Ok(()),
        1 => bail!("there is a problem"),
        count => bail!("there are {count} problems"),
    }
}

/// Stores the database's installation id beside the blobs. With JSON, the report shows it.
async fn adopt(as_json: bool, config: &Config) -> anyhow::Result<()> {
    let operator = wiring::operator(config).await?;
    let id = operator.adopt_blobs(&wiring::blobs(config)?).await?;
    operator.close().await;
    if as_json {
        return Ok(());
    }
    print(&format!("The blobs now belong to this database, whose installation id is {id}."))
}

/// Lets the service delete blobs that the database does not know, although there are many.
async fn confirm_orphans(as_json: bool, config: &Config) -> anyhow::Result<()> {
    let operator = wiring::operator(config).await?;
    operator.confirm_orphans().await?;
    operator.close().await;
    if as_json {
        return Ok(());
    }
    print(
        "For a day, the service deletes blobs that the database has not known for a week, however many there are.",
    )
}

fn line(finding: &Finding) -> String {
    let mark = match finding.state {
        Health::Ok => "ok      ",
        Health::Warning => "warning ",
        Health::Problem => "PROBLEM ",
    };
    let line = format!("{mark} {}: {}", finding.check, finding.found);
    if finding.advice.is_empty() { line } else { format!("{line}\n         → {}", finding.advice) }
}
