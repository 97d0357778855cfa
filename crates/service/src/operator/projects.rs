//! Projects: created and listed; their plans, limits and balances changed.

use auris_domain::id::ProjectId;
use auris_domain::money::Usd;
use auris_domain::project::{Project, ProjectLimits};
use auris_domain::time::Timestamp;
use auris_store::Credit;
use serde::Serialize;

use super::{DEFAULT_PROJECT, Operator, OperatorError, Result};

const MAX_NAME_CHARACTERS: usize = 64;

/// A project to create.
#[derive(Debug, Clone, Default)]
pub struct NewProject {
    pub name: String,
    /// `None` for the first plan of the catalogue.
    pub plan: Option<String>,
    /// A prepaid balance; `None` for a project that spends without limit.
    pub credit: Option<Usd>,
    pub limits: LimitChanges,
}

/// What becomes of one limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LimitChange {
    #[default]
    Keep,
    /// The server's setting applies again.
    UseDefault,
    /// 0 means no limit.
    Set(u32),
}

/// What becomes of each limit of a project.
#[derive(Debug, Clone, Copy, Default)]
pub struct LimitChanges {
    pub requests_per_minute: LimitChange,
    pub concurrent_transcriptions: LimitChange,
}

/// A change of a balance.
#[derive(Debug, Clone, Copy)]
pub enum BalanceChange {
    /// Adds the amount, or subtracts it if it is negative.
    Add(Usd),
    /// Removes the balance: the project spends without limit.
    Remove,
}

/// What a change of a balance did.
#[derive(Debug, Clone, Copy)]
pub enum BalanceOutcome {
    Total(Usd),
    /// The balance was removed; this much was left of it. `None` if there was no balance.
    Removed(Option<Usd>),
}

/// A project as it is listed.
#[derive(Debug, Clone, Serialize)]
pub struct ProjectRecord {
    pub id: ProjectId,
    pub name: String,
    pub plan: String,
    pub balance_usd: Option<Usd>,
    pub held_usd: Option<Usd>,
    pub requests_per_minute: Option<u32>,
    pub concurrent_transcriptions: Option<u32>,
    pub created_at: Timestamp,
}

impl From<Project> for ProjectRecord {
    fn from(project: Project) -> Self {
        Self {
            id: project.id,
            name: project.name,
            plan: project.plan,
            balance_usd: project.balance.map(|balance| balance.total),
            held_usd: project.balance.map(|balance| balance.held),
            requests_per_minute: project.limits.requests_per_minute,
            concurrent_transcriptions: project.limits.concurrent_transcriptions,
            created_at: project.created_at,
        }
    }
}

impl Operator {
    /// Creates a project. `plans` are those of the catalogue. Everything is checked before anything is stored.
    pub async fn create_project(&self, new: NewProject, plans: &[String]) -> Result<ProjectRecord> {
        check_name(&new.name)?;
        let plan = new.plan.clone().or_else(|| plans.first().cloned());
        if let Some(plan) = &plan {
            check_plan(plan, plans)?;
        }
        let Some(project) = self.store.create_project(&new.name, self.clock.now()).await? else {
            let message = format!("the project `{}` already exists; choose another name", new.name);
            return Err(OperatorError::conflict(message));
        };
        if let Some(plan) = plan.filter(|plan| *plan != project.plan) {
            self.store.set_plan(&project.id, &plan).await?;
        }
        let limits = new.limits.apply(ProjectLimits::default());
        if limits != ProjectLimits::default() {
            self.store.set_limits(&project.id, limits).await?;
        }
        if let Some(amount) = new.credit {
            self.add_to_balance(&project, amount).await?;
        }
        self.read_project(&new.name).await
    }

    /// Lists all projects, oldest first.
    pub async fn list_projects(&self) -> Result<Vec<ProjectRecord>> {
        Ok(self.store.projects().await?.into_iter().map(ProjectRecord::from).collect())
    }

    /// Reads one project. The project `default` is created if it does not exist yet.
    pub async fn read_project(&self, name: &str) -> Result<ProjectRecord> {
        self.project(name).await.map(ProjectRecord::from)
    }

    /// Puts a project on another plan of the catalogue.
    pub async fn set_plan(&self, name: &str, plan: &str, plans: &[String]) -> Result<ProjectRecord> {
        check_plan(plan, plans)?;
        let project = self.project(name).await?;
        self.store.set_plan(&project.id, plan).await?;
        self.read_project(name).await
    }

    /// Changes the limits that all keys of a project share.
    pub async fn set_limits(&self, name: &str, changes: LimitChanges) -> Result<ProjectRecord> {
        let project = self.project(name).await?;
        self.store.set_limits(&project.id, changes.apply(project.limits)).await?;
        self.read_project(name).await
    }

    /// Adds to a project's prepaid balance, or removes the balance.
    pub async fn change_balance(&self, name: &str, change: BalanceChange) -> Result<BalanceOutcome> {
        let project = self.project(name).await?;
        match change {
            BalanceChange::Add(amount) => {
                self.add_to_balance(&project, amount).await.map(BalanceOutcome::Total)
            }
            BalanceChange::Remove => {
                let left = self.store.lift_balance(&project.id, self.clock.now()).await?;
                Ok(BalanceOutcome::Removed(left))
            }
        }
    }

    async fn add_to_balance(&self, project: &Project, amount: Usd) -> Result<Usd> {
        let name = &project.name;
        let message = match self.store.credit(&project.id, amount, self.clock.now()).await? {
            Credit::Booked(balance) => return Ok(balance.total),
            Credit::Refused(balance) if amount.is_negative() => format!(
                "`{name}` has {} USD, of which {} are held for running requests; take no more than {}",
                balance.total,
                balance.held,
                balance.available()
            ),
            Credit::Refused(balance) if balance.held > amount + balance.total => format!(
                "running requests of `{name}` can still cost {} USD; credit at least that much",
                balance.held
            ),
            Credit::Refused(_) => format!("{amount} USD exceeds the largest balance that can be stored"),
        };
        Err(OperatorError::conflict(message))
    }

    /// The project with this name; `default` is created if it does not exist yet.
    pub(super) async fn project(&self, name: &str) -> Result<Project> {
        if let Some(project) = self.store.project_by_name(name).await? {
            return Ok(project);
        }
        if name == DEFAULT_PROJECT
            && let Some(project) = self.store.create_project(name, self.clock.now()).await?
        {
            return Ok(project);
        }
        // Another process may have created it since the first look.
        self.store.project_by_name(name).await?.ok_or_else(|| {
            let message =
                format!("there is no project `{name}`; create it with `auris projects create {name}`");
            OperatorError::not_found(message)
        })
    }
}

impl LimitChanges {
    fn apply(self, limits: ProjectLimits) -> ProjectLimits {
        ProjectLimits {
            requests_per_minute: self.requests_per_minute.apply(limits.requests_per_minute),
            concurrent_transcriptions: self.concurrent_transcriptions.apply(limits.concurrent_transcriptions),
        }
    }
}

impl LimitChange {
    fn apply(self, limit: Option<u32>) -> Option<u32> {
        match self {
            Self::Keep => limit,
            Self::UseDefault => None,
            Self::Set(number) => Some(number),
        }
    }
}

fn check_plan(plan: &str, plans: &[String]) -> Result<()> {
    if plans.iter().any(|known| known == plan) {
        return Ok(());
    }
    let known = plans.join(", ");
    let message = format!("the catalogue has no plan `{plan}`; its plans are {known}");
    Err(OperatorError::invalid_parameter("plan", message))
}

fn check_name(name: &str) -> Result<()> {
    let is_allowed = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    if name.is_empty() || name.len() > MAX_NAME_CHARACTERS || !name.chars().all(is_allowed) {
        let message =
            format!("`{name}` is not a project name; use 1 to 64 letters, digits, `-`, `_` and `.`");
        return Err(OperatorError::invalid(message));
    }
    Ok(())
}
