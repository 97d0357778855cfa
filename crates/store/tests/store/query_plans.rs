//! No statement scans a table that grows: PostgreSQL explains its plan for every statement.

use auris_store::{all_batches, all_statements};
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Row as _};

use super::test_store::TestStore;

/// Tables that grow with the number of jobs.
const LARGE: [&str; 15] = [
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
    "speaker_names",
    "audio_peaks",
    "follow_ups",
    "analyses_of",
];
/// Statements that may scan: this one runs on an empty table, before an import.
const ALLOWED: [&str; 1] = ["transfer::OCCUPIED"];

#[tokio::test]
async fn every_statement_finds_its_rows_by_an_index() {
    let test = TestStore::postgres().await;
    let mut connection = test.postgres_pool().acquire().await.unwrap();
    forbid_scans(&mut connection).await;
    let mut scans = Vec::new();
    for statement in all_statements() {
        let name = statement.name;
        let plan = plan_of(&mut connection, statement.postgres).await;
        let scanned = LARGE.iter().find(|table| {
            let line = format!("Seq Scan on {table}");
            plan.iter().any(|step| step.ends_with(&line) || step.contains(&format!("{line} ")))
        });
        if let Some(table) = scanned.filter(|_| !ALLOWED.iter().any(|allowed| name.ends_with(allowed))) {
            scans.push(format!("{name} scans `{table}`:\n{}", plan.join("\n")));
        }
    }
    assert!(scans.is_empty(), "{}", scans.join("\n\n"));
    drop(connection);
    test.close().await;
}

#[tokio::test]
async fn the_steps_of_a_job_are_updated_only_if_the_job_was() {
    let test = TestStore::postgres().await;
    let mut connection = test.postgres_pool().acquire().await.unwrap();
    forbid_scans(&mut connection).await;
    let batches = all_batches();
    let is_pair = |text: &&String| text.starts_with("WITH part_0 AS (UPDATE jobs SET version");
    let text = batches.iter().find(is_pair).unwrap();
    let plan = plan_of(&mut connection, text).await;
    assert!(plan.iter().any(|line| line.contains("One-Time Filter")), "{}", plan.join("\n"));
    assert!(!plan.iter().any(|line| line.contains("Seq Scan")), "{}", plan.join("\n"));
    drop(connection);
    test.close().await;
}

/// With scans made prohibitively expensive, the planner chooses one only if there is no index.
async fn forbid_scans(connection: &mut PgConnection) {
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
