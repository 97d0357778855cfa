//! No statement walks through a table that grows: PostgreSQL is asked how it would go, for every statement there is.

use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Row as _};

use super::bed::Bed;
use crate::sql::database::{Argument, Database};
use crate::sql::batch::Gathered;
use crate::sql::statements;

/// What grows with the jobs.
const LARGE: [&str; 11] = [
    "jobs",
    "steps",
    "events",
    "artifacts",
    "job_requests",
    "job_results",
    "step_outputs",
    "idempotency_keys",
    "deliveries",
    "delivery_attempts",
    "ledger",
];
/// Statements that may, and why: they are asked on an empty table, or by a command that takes everything along.
const ALLOWED: [&str; 1] = ["transfer::OCCUPIED"];

#[tokio::test]
async fn every_statement_finds_its_rows_by_an_index() {
    let bed = Bed::postgres().await;
    let Database::Postgres { pool, .. } = bed.store.database() else { unreachable!() };
    let mut connection = pool.acquire().await.unwrap();
    forbid_walks(&mut connection).await;
    let mut walks = Vec::new();
    for (name, statement) in statements::all() {
        let plan = plan_of(&mut connection, statement.postgres).await;
        let walked = LARGE.iter().find(|table| {
            let line = format!("Seq Scan on {table}");
            plan.iter().any(|step| step.ends_with(&line) || step.contains(&format!("{line} ")))
        });
        if let Some(table) = walked.filter(|_| !ALLOWED.iter().any(|allowed| name.ends_with(allowed))) {
            walks.push(format!("{name} walks through `{table}`:\n{}", plan.join("\n")));
        }
    }
    assert!(walks.is_empty(), "{}", walks.join("\n\n"));
    drop(connection);
    bed.close().await;
}

#[tokio::test]
async fn the_steps_of_a_job_are_touched_only_where_the_job_was_found() {
    let bed = Bed::postgres().await;
    let Database::Postgres { pool, .. } = bed.store.database() else { unreachable!() };
    let mut connection = pool.acquire().await.unwrap();
    forbid_walks(&mut connection).await;
    let statements = statements::all();
    let text_of = |wanted: &str| {
        let named = statements.iter().find(|(name, _)| name.ends_with(wanted));
        (
            named.unwrap().1.postgres,
            vec![Argument::Integer(None); if wanted.ends_with("JOB") { 12 } else { 2 }],
        )
    };
    let (text, _) =
        Gathered::default().into_query(text_of("movement::MOVE_JOB"), text_of("movement::MOVE_STEPS"));
    let plan = plan_of(&mut connection, &text).await;
    assert!(plan.iter().any(|line| line.contains("One-Time Filter")), "{}", plan.join("\n"));
    assert!(!plan.iter().any(|line| line.contains("Seq Scan")), "{}", plan.join("\n"));
    drop(connection);
    bed.close().await;
}

/// With the walk priced out of reach, it is chosen only where there is no other way.
async fn forbid_walks(connection: &mut PgConnection) {
    run(connection, "SET enable_seqscan = off").await;
    run(connection, "SET plan_cache_mode = force_generic_plan").await;
}

async fn plan_of(connection: &mut PgConnection, text: &str) -> Vec<String> {
    run(connection, &format!("PREPARE asked AS {text}")).await;
    let places = (1..100).take_while(|place| text.contains(&format!("${place}"))).count();
    let arguments = match places {
        0 => String::new(),
        _ => format!("({})", vec!["NULL"; places].join(", ")),
    };
    let explain = format!("EXPLAIN (COSTS OFF) EXECUTE asked {arguments}");
    let rows = sqlx::raw_sql(AssertSqlSafe(explain)).fetch_all(&mut *connection).await.unwrap();
    run(connection, "DEALLOCATE asked").await;
    rows.iter().map(|row| row.get(0)).collect()
}

async fn run(connection: &mut PgConnection, text: &str) {
    sqlx::raw_sql(AssertSqlSafe(text.to_owned())).execute(connection).await.unwrap();
}
