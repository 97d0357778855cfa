//! `auris projects`: projects, their plans, limits and balances.

use anyhow::Context;
use auris_domain::money::Usd;
use auris_service::operator::{
    BalanceChange, BalanceOutcome, LimitChange, LimitChanges, NewProject, Operator, ProjectRecord,
};

use super::listing::{Cell, Listing};
use super::{print, print_json, usage};
use crate::cli::{LimitArgs, Projects, Shape};
use crate::config::Config;
use crate::wiring;

const HEADINGS: [&str; 8] = [
    "NAME",
    "ID",
    "PLAN",
    "BALANCE_USD",
    "HELD_USD",
    "REQUESTS_PER_MINUTE",
    "CONCURRENT_TRANSCRIPTIONS",
    "CREATED",
];

pub(crate) async fn run(command: Projects, config: &Config) -> anyhow::Result<()> {
    match command {
        Projects::Create { name, plan, credit, limits, json } => {
            let credit = credit.as_deref().map(amount).transpose()?;
            let new = NewProject { name, plan, credit, limits: limit_changes(&limits)? };
            let plans = plans_for(&new, config)?;
            let project = wiring::operator(config).await?.create_project(new, &plans).await?;
            show(&project, json, project.id.as_str())
        }
        Projects::List { shape } => list(&wiring::operator(config).await?, shape).await,
        Projects::SetPlan { name, plan, json } => {
            let models = wiring::models(config)?;
            let project = wiring::operator(config).await?.set_plan(&name, &plan, models.plans()).await?;
            show(&project, json, &format!("{name} is on the plan {plan}"))
        }
        Projects::SetLimits { name, limits, json } => {
            let changes = limit_changes(&limits)?;
            let project = wiring::operator(config).await?.set_limits(&name, changes).await?;
            show(&project, json, &format!("changed the limits of {name}"))
        }
        Projects::Credit { name, amount, json, .. } => {
            change_balance(config, &name, amount.as_deref(), json).await
        }
        Projects::Usage { name, since, until, by, shape } => {
            let request = usage::request(name, since.as_deref(), until.as_deref(), by)?;
            usage::print(&wiring::operator(config).await?.report_usage(&request).await?, &request, shape)
        }
    }
}

/// The plans of the catalogue. A project without a named plan can be created although the catalogue cannot be read.
fn plans_for(new: &NewProject, config: &Config) -> anyhow::Result<Vec<String>> {
    match (wiring::models(config), &new.plan) {
        (Ok(models), _) => Ok(models.plans().to_vec()),
        (Err(_), None) => Ok(Vec::new()),
        (Err(error), Some(_)) => Err(error),
    }
}

async fn list(operator: &Operator, shape: Shape) -> anyhow::Result<()> {
    let mut listing = Listing::new(&HEADINGS);
    for project in operator.list_projects().await? {
        listing.add(row(&project), &project)?;
    }
    listing.print(shape)
}

/// Without an amount, the balance is removed.
async fn change_balance(
    config: &Config,
    name: &str,
    text: Option<&str>,
    as_json: bool,
) -> anyhow::Result<()> {
    let change = match text {
        Some(text) => BalanceChange::Add(amount(text)?),
        None => BalanceChange::Remove,
    };
    let operator = wiring::operator(config).await?;
    let line = match operator.change_balance(name, change).await? {
        BalanceOutcome::Total(total) => format!("{name} has {total} USD"),
        BalanceOutcome::Removed(Some(left)) => {
            format!("{name} can spend without limit; {left} USD were left")
        }
        BalanceOutcome::Removed(None) => format!("{name} can spend without limit, as before"),
    };
    show(&operator.read_project(name).await?, as_json, &line)
}

fn amount(text: &str) -> anyhow::Result<Usd> {
    Usd::parse_signed(text).map_err(|_| {
        anyhow::anyhow!(
            "`{text}` is not an amount; write US dollars as 50 or 12.5, with up to ten decimal places"
        )
    })
}

/// Prints a line for people, or the project as JSON.
fn show(project: &ProjectRecord, as_json: bool, line: &str) -> anyhow::Result<()> {
    if as_json { print_json(project) } else { print(line) }
}

fn limit_changes(args: &LimitArgs) -> anyhow::Result<LimitChanges> {
    Ok(LimitChanges {
        requests_per_minute: limit_change(args.requests_per_minute.as_deref())?,
        concurrent_transcriptions: limit_change(args.concurrent_transcriptions.as_deref())?,
    })
}

fn limit_change(text: Option<&str>) -> anyhow::Result<LimitChange> {
    match text {
        None => Ok(LimitChange::Keep),
        Some("default") => Ok(LimitChange::UseDefault),
        Some(text) => {
            let number = text.parse().with_context(|| {
                format!(
                    "`{text}` is not a limit; write a number, 0 for no limit, or `default` for the server's"
                )
            })?;
            Ok(LimitChange::Set(number))
        }
    }
}

fn row(project: &ProjectRecord) -> Vec<Cell> {
    vec![
        Cell::text(&project.name),
        Cell::text(&project.id),
        Cell::text(&project.plan),
        Cell::or(project.balance_usd, "unlimited"),
        Cell::or(project.held_usd, "-"),
        Cell::or(project.requests_per_minute, "default"),
        Cell::or(project.concurrent_transcriptions, "default"),
        Cell::text(project.created_at.to_rfc3339()),
    ]
}
