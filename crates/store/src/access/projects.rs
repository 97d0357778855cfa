//! Projects: their plans, limits and balances.

use auris_domain::id::ProjectId;
use auris_domain::project::{Project, ProjectLimits};
use auris_domain::time::Millis;

use crate::error::StoreError;
use crate::money::decode_balance;
use crate::sql::{Row, args, statements};
use crate::store::Store;

/// The plan of a new project: the smallest, unless the operator's configuration has other plans.
const FIRST_PLAN: &str = "free";

macro_rules! project_columns {
    () => {
        "projects.id, projects.name, projects.plan, projects.requests_per_minute, projects.concurrent_transcriptions,
         projects.created_at, balance_e10, held_e10"
    };
}
pub(crate) use project_columns;

statements! {
    INSERT_PROJECT = "INSERT INTO projects (id, name, plan, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    PROJECT = concat!("SELECT ", project_columns!(),
        " FROM projects LEFT JOIN balances ON balances.project_id = projects.id WHERE projects.id = $1");
    PROJECT_BY_NAME = concat!("SELECT ", project_columns!(),
        " FROM projects LEFT JOIN balances ON balances.project_id = projects.id WHERE name = $1");
    PROJECTS = concat!("SELECT ", project_columns!(),
        " FROM projects LEFT JOIN balances ON balances.project_id = projects.id ORDER BY projects.id");
    SET_PLAN = "UPDATE projects SET plan = $2 WHERE id = $1";
    SET_LIMITS = "UPDATE projects SET requests_per_minute = $2, concurrent_transcriptions = $3 WHERE id = $1";
}

impl Store {
    /// Creates a project; `None` if the name is taken.
    pub async fn create_project(&self, name: &str, now: Millis) -> Result<Option<Project>, StoreError> {
        let project = Project {
            id: ProjectId::generate(now),
            name: name.to_owned(),
            plan: FIRST_PLAN.to_owned(),
            balance: None,
            limits: ProjectLimits::default(),
            created_at: now.timestamp(),
        };
        let arguments = args![&project.id, name, &project.plan, project.created_at];
        let created = self.database().write(&INSERT_PROJECT, arguments).await? > 0;
        Ok(created.then_some(project))
    }

    pub async fn project(&self, id: &ProjectId) -> Result<Option<Project>, StoreError> {
        let row = self.database().row(&PROJECT, args![id]).await?;
        row.as_ref().map(decode_project).transpose()
    }

    pub async fn project_by_name(&self, name: &str) -> Result<Option<Project>, StoreError> {
        let row = self.database().row(&PROJECT_BY_NAME, args![name]).await?;
        row.as_ref().map(decode_project).transpose()
    }

    /// All projects, oldest first.
    pub async fn projects(&self) -> Result<Vec<Project>, StoreError> {
        let rows = self.database().many_rows(&PROJECTS, args![]).await?;
        rows.iter().map(decode_project).collect()
    }

    /// Changes a project's plan; it takes effect within seconds, when caches expire.
    pub async fn set_plan(&self, project: &ProjectId, plan: &str) -> Result<(), StoreError> {
        self.database().write(&SET_PLAN, args![project, plan]).await.map(drop)
    }

    pub async fn set_limits(&self, project: &ProjectId, limits: ProjectLimits) -> Result<(), StoreError> {
        let number = |limit: Option<u32>| limit.map(i64::from);
        let arguments =
            args![project, number(limits.requests_per_minute), number(limits.concurrent_transcriptions)];
        self.database().write(&SET_LIMITS, arguments).await.map(drop)
    }
}

pub(crate) fn decode_project(row: &Row) -> Result<Project, StoreError> {
    let limit = |column: &str| {
        let limit = row.optional_integer(column)?.map(u32::try_from).transpose();
        limit.map_err(|_| StoreError::Corrupt(format!("the column `{column}` is not a valid limit")))
    };
    Ok(Project {
        id: row.parsed("id")?,
        name: row.text("name")?,
        plan: row.text("plan")?,
        balance: decode_balance(row)?,
        limits: ProjectLimits {
            requests_per_minute: limit("requests_per_minute")?,
            concurrent_transcriptions: limit("concurrent_transcriptions")?,
        },
        created_at: row.moment("created_at")?,
    })
}
