//! `auris projects`: who uses the service, on which plan, and with how much money.

mod usage;

use anyhow::{Context, bail};
use auris_domain::money::Usd;
use auris_domain::project::{Project, ProjectLimits};
use auris_domain::time::Clock;
use auris_store::{Credit, Store};
use serde_json::{Value, json};

use super::listing::{Cell, Listing};
use super::{print, print_json};
use crate::cli::{LimitWords, Projects, Shape};
use crate::config::Config;
use crate::{data, engines};

const NAME_CHARACTERS: usize = 64;

pub(crate) async fn run(command: Projects, config: &Config) -> anyhow::Result<()> {
    match command {
        Projects::Create { name, plan, credit, limits, json } => {
            create(config, &name, New { plan, credit, limits }, json).await
        }
        Projects::List { shape } => list(config, shape).await,
        Projects::SetPlan { name, plan, json } => {
            check_plan(config, &plan)?;
            let store = data::open_store(config).await?;
            let project = find(&store, &name).await?;
            store.set_plan(&project.id, &plan).await?;
            told(&store, &name, json, &format!("{name} is on the plan {plan}")).await
        }
        Projects::SetLimits { name, limits, json } => {
            let store = data::open_store(config).await?;
            let project = find(&store, &name).await?;
            store.set_limits(&project.id, changed(project.limits, &limits)?).await?;
            told(&store, &name, json, &format!("{name} has its limits")).await
        }
        Projects::Credit { name, amount, json, .. } => credit(config, &name, amount.as_deref(), json).await,
        Projects::Usage { name, since, until, by, shape } => {
            let span = usage::span(since.as_deref(), until.as_deref())?;
            usage::report(config, name.as_deref(), span, &by, shape).await
        }
    }
}

/// What a new project is to have beside its name.
struct New {
    plan: Option<String>,
    credit: Option<String>,
    limits: LimitWords,
}

/// Everything is checked before anything is made.
async fn create(config: &Config, name: &str, new: New, as_json: bool) -> anyhow::Result<()> {
    check_name(name)?;
    let plan = new.plan.or_else(|| first_plan(config));
    if let Some(plan) = &plan {
        check_plan(config, plan)?;
    }
    let credit = new.credit.as_deref().map(amount).transpose()?;
    let limits = changed(ProjectLimits::default(), &new.limits)?;
    let store = data::open_store(config).await?;
    let now = Clock::System.now();
    let created = store.create_project(name, now).await?;
    let project =
        created.with_context(|| format!("there is a project `{name}` already; choose another name"))?;
    if let Some(plan) = plan.filter(|plan| *plan != project.plan) {
        store.set_plan(&project.id, &plan).await?;
    }
    if limits != ProjectLimits::default() {
        store.set_limits(&project.id, limits).await?;
    }
    if let Some(amount) = credit {
        book(&store, &project, amount).await?;
    }
    told(&store, name, as_json, project.id.as_str()).await
}

async fn list(config: &Config, shape: Shape) -> anyhow::Result<()> {
    let store = data::open_store(config).await?;
    let headings = [
        "NAME",
        "ID",
        "PLAN",
        "BALANCE_USD",
        "HELD_USD",
        "REQUESTS_PER_MINUTE",
        "CONCURRENT_TRANSCRIPTIONS",
        "CREATED",
    ];
    let mut listing = Listing::new(&headings);
    for project in store.projects().await? {
        listing.add(row(&project), record(&project));
    }
    listing.print(shape)
}

async fn credit(config: &Config, name: &str, text: Option<&str>, as_json: bool) -> anyhow::Result<()> {
    let wanted = text.map(amount).transpose()?;
    let store = data::open_store(config).await?;
    let project = find(&store, name).await?;
    let line = match wanted {
        Some(amount) => format!("{name} has {} USD", book(&store, &project, amount).await?),
        None => match store.lift_balance(&project.id, Clock::System.now()).await? {
            Some(left) => format!("{name} may spend without limit; {left} USD were left"),
            None => format!("{name} may spend without limit, as before"),
        },
    };
    told(&store, name, as_json, &line).await
}

async fn book(store: &Store, project: &Project, amount: Usd) -> anyhow::Result<Usd> {
    match store.credit(&project.id, amount, Clock::System.now()).await? {
        Credit::Booked(balance) => Ok(balance.total),
        Credit::Refused(balance) if amount.is_negative() => bail!(
            "`{}` has {} USD, of which {} are held for requests under way; take no more than {}",
            project.name,
            balance.total,
            balance.held,
            balance.available()
        ),
        Credit::Refused(balance) if balance.held > amount + balance.total => bail!(
            "requests of `{}` under way may yet cost {} USD; credit at least that",
            project.name,
            balance.held
        ),
        Credit::Refused(_) => bail!("{amount} USD are more than a balance can hold"),
    }
}

fn amount(text: &str) -> anyhow::Result<Usd> {
    Usd::parse_signed(text).map_err(|_| {
        anyhow::anyhow!(
            "`{text}` is no amount; write dollars as 50 or 12.5, with up to ten digits after the point"
        )
    })
}

/// The answer to a change: the line for people, the record as it is now for programs.
async fn told(store: &Store, name: &str, as_json: bool, line: &str) -> anyhow::Result<()> {
    if as_json { print_json(&record(&find(store, name).await?)) } else { print(line) }
}

async fn find(store: &Store, name: &str) -> anyhow::Result<Project> {
    data::project(store, name, Clock::System.now()).await
}

fn first_plan(config: &Config) -> Option<String> {
    engines::catalog(config).ok()?.plans.into_iter().next()
}

fn check_plan(config: &Config, plan: &str) -> anyhow::Result<()> {
    let plans = engines::catalog(config)?.plans;
    if plans.iter().any(|known| known == plan) {
        return Ok(());
    }
    bail!("the catalogue has no plan `{plan}`; it has {}", plans.join(", "))
}

fn check_name(name: &str) -> anyhow::Result<()> {
    let fits = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    if name.is_empty() || name.len() > NAME_CHARACTERS || !name.chars().all(fits) {
        bail!("`{name}` is no project name; use 1 to 64 letters, digits, `-`, `_` and `.`");
    }
    Ok(())
}

/// What was not named stays as it is.
fn changed(limits: ProjectLimits, words: &LimitWords) -> anyhow::Result<ProjectLimits> {
    Ok(ProjectLimits {
        requests_per_minute: limit(limits.requests_per_minute, words.requests_per_minute.as_deref())?,
        concurrent_transcriptions: limit(
            limits.concurrent_transcriptions,
            words.concurrent_transcriptions.as_deref(),
        )?,
    })
}

fn limit(now: Option<u32>, word: Option<&str>) -> anyhow::Result<Option<u32>> {
    match word {
        None => Ok(now),
        Some("default") => Ok(None),
        Some(text) => {
            let number = text.parse().with_context(|| {
                format!("`{text}` is no limit; write a number, 0 for none, or `default` for the server's")
            })?;
            Ok(Some(number))
        }
    }
}

fn row(project: &Project) -> Vec<Cell> {
    vec![
        Cell::text(&project.name),
        Cell::text(&project.id),
        Cell::text(&project.plan),
        Cell::or(project.balance.map(|balance| balance.total), "unlimited"),
        Cell::or(project.balance.map(|balance| balance.held), "-"),
        Cell::or(project.limits.requests_per_minute, "default"),
        Cell::or(project.limits.concurrent_transcriptions, "default"),
        Cell::text(project.created_at.to_rfc3339()),
    ]
}

fn record(project: &Project) -> Value {
    json!({
        "id": project.id,
        "name": project.name,
        "plan": project.plan,
        "balance_usd": project.balance.map(|balance| balance.total),
        "held_usd": project.balance.map(|balance| balance.held),
        "requests_per_minute": project.limits.requests_per_minute,
        "concurrent_transcriptions": project.limits.concurrent_transcriptions,
        "created_at": project.created_at,
    })
}
