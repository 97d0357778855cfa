//! The schema and the statements, on both databases alike.

use sqlx::{AssertSqlSafe, Executor, Row as _, SqlSafeStr};

use super::bed::{Bed, NOW};
use super::on_both;
use crate::sql::database::{Database, args};
use crate::sql::statements::{self, Statement};

const SQLITE_COLUMNS: &str =
    "SELECT m.name || '.' || c.name || ' ' || lower(c.type) || ' ' || c.\"notnull\" AS line
    FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
    WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY 1";
const POSTGRES_COLUMNS: &str = "SELECT table_name || '.' || column_name || ' ' || data_type || ' ' ||
        CASE is_nullable WHEN 'NO' THEN '1' ELSE '0' END AS line
    FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1";
const SQLITE_INDEXES: &str =
    "SELECT name AS line FROM sqlite_master WHERE type = 'index' AND name NOT LIKE 'sqlite_%' ORDER BY 1";
const POSTGRES_INDEXES: &str = "SELECT indexname AS line FROM pg_indexes
    WHERE schemaname = 'public' AND indexname NOT LIKE '%_pkey' AND indexname NOT LIKE '%_key' ORDER BY 1";

async fn lines(bed: &Bed, sqlite: &'static str, postgres: &'static str) -> Vec<String> {
    let statement = Statement { sqlite, postgres };
    let rows = bed.store.database().rows(&statement, args![]).await.unwrap();
    rows.iter().map(|row| row.text("line").unwrap()).collect()
}

#[tokio::test]
async fn both_databases_have_the_same_schema() {
    let (sqlite, postgres) = (Bed::sqlite().await, Bed::postgres().await);
    let columns = lines(&sqlite, SQLITE_COLUMNS, POSTGRES_COLUMNS).await;
    assert!(columns.len() > 100, "{columns:?}");
    assert_eq!(columns, lines(&postgres, SQLITE_COLUMNS, POSTGRES_COLUMNS).await);
    let indexes = lines(&sqlite, SQLITE_INDEXES, POSTGRES_INDEXES).await;
    assert!(indexes.contains(&"steps_queued".to_owned()), "{indexes:?}");
    assert_eq!(indexes, lines(&postgres, SQLITE_INDEXES, POSTGRES_INDEXES).await);
    sqlite.close().await;
    postgres.close().await;
}

on_both! {
    async fn every_statement_prepares(bed) {
        let all = statements::all();
        assert!(all.len() > 50);
        for (name, statement) in all {
            let prepared = match bed.store.database() {
                Database::Sqlite { readers, .. } => readers.prepare(statement.sqlite.into_sql_str()).await.map(drop),
                Database::Postgres { pool, .. } => pool.prepare(statement.postgres.into_sql_str()).await.map(drop),
            };
            prepared.unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }

    async fn migrating_again_does_nothing(bed) {
        assert_eq!(bed.store.migrate().await.unwrap(), 0);
        assert_eq!(bed.other_node().await.migrate().await.unwrap(), 0);
    }

    async fn a_schema_that_only_grew_is_fine_for_an_older_program(bed) {
        bed.sql("INSERT INTO schema_migrations (version) VALUES (999)", args![]).await;
        bed.sql("ALTER TABLE jobs ADD COLUMN colour TEXT", args![]).await;
        assert_eq!(bed.store.migrate().await.unwrap(), 0);
        assert_eq!(bed.store.schema_version().await.unwrap(), 999);
    }

    async fn a_schema_that_an_older_program_cannot_use_is_refused(bed) {
        bed.sql("INSERT INTO schema_migrations (version, oldest) VALUES (999, 998)", args![]).await;
        let error = bed.store.migrate().await.unwrap_err();
        assert!(matches!(error, crate::StoreError::Internal(_)));
    }

    async fn a_ping_is_answered_until_the_store_is_closed(bed) {
        bed.store.ping().await.unwrap();
        let other = bed.other_node().await;
        other.close().await;
        assert!(matches!(other.ping().await, Err(crate::StoreError::Unavailable(_))));
    }

    async fn a_text_with_nul_is_refused(bed) {
        let made = bed.store.create_project("no\0pe", NOW).await;
        assert!(matches!(made, Err(crate::StoreError::Internal(_))));
    }
}

/// What waited for a receiver before there were lanes waits in one afterwards.
async fn is_brought_up_to_date_with_its_data(bed: Bed) {
    let job = "INSERT INTO jobs (id, project_id, operation, status, version, event_seq, created_at, completed_at, expires_at,
            percent, completed_steps, total_steps, current_steps, failure_policy, metadata)
        VALUES ('job_00000000000000000001', $1, 'analysis', 'failed', 1, 1, 1, 1, 1, 0, 0, 1, '[]', 'fail_fast', '{}')";
    bed.sql(job, args![&bed.project]).await;
    let delivery = "INSERT INTO deliveries
            (id, event_id, job_id, project_id, endpoint_id, url, body, status, attempts, next_attempt_ms, created_at)
        VALUES ($1, 'evt_00000000000000000001', 'job_00000000000000000001', $2, $3, 'https://a.example/x', '{}', 'pending', 0, 1, 1)";
    bed.sql(delivery, args!["dlv_00000000000000000001", &bed.project, "whk_00000000000000000001"]).await;
    bed.sql(delivery, args!["dlv_00000000000000000002", &bed.project, None::<&str>]).await;
    assert_eq!(bed.store.migrate().await.unwrap() as usize, crate::sql::migrations::MIGRATIONS.len() - 1);
    let lanes = bed.store.lanes().await.unwrap();
    let names: Vec<&str> = lanes.iter().map(|lane| lane.name.as_str()).collect();
    assert_eq!(
        names,
        [format!("{} https://a.example/x", bed.project), "whk_00000000000000000001".to_owned()]
    );
    bed.close().await;
}

#[tokio::test]
async fn the_first_schema_of_sqlite_is_brought_up_to_date_with_its_data() {
    is_brought_up_to_date_with_its_data(Bed::sqlite_at(1).await).await;
}

#[tokio::test]
async fn the_first_schema_of_postgres_is_brought_up_to_date_with_its_data() {
    is_brought_up_to_date_with_its_data(Bed::postgres_at(1).await).await;
}

#[tokio::test]
async fn nodes_that_start_at_once_migrate_once() {
    let bed = Bed::postgres().await;
    bed.sql("DROP SCHEMA public CASCADE", args![]).await;
    bed.sql("CREATE SCHEMA public", args![]).await;
    let nodes = (0..4).map(|_| async { bed.other_node().await.migrate().await.unwrap() });
    let ran: u32 = futures::future::join_all(nodes).await.into_iter().sum();
    assert_eq!(ran as usize, crate::sql::migrations::MIGRATIONS.len());
    bed.close().await;
}

/// A small project's page must not cost a walk through everybody else's jobs, whatever the database believes of them.
#[tokio::test]
async fn a_page_reads_its_own_project_s_index_only() {
    let bed = Bed::postgres().await;
    let crowd = bed.store.create_project("crowd", NOW).await.unwrap().unwrap().id;
    let fill = "INSERT INTO jobs (id, project_id, operation, status, version, event_seq, created_at, completed_at,
            expires_at, percent, completed_steps, total_steps, current_steps, failure_policy, metadata)
        SELECT 'job_' || lpad(i::text, 20, '0'), $1, 'transcription', 'failed', 1, 1, 1, 1, 1, 0, 0, 1, '[]', 'fail_fast', '{}'
        FROM generate_series(1, 5000) AS i";
    bed.sql(fill, args![&crowd]).await;
    bed.sql("ANALYZE", args![]).await;
    let (_, page) = *statements::all().iter().find(|(name, _)| name.ends_with("jobs::PAGE")).unwrap();
    let Database::Postgres { pool, .. } = bed.store.database() else { unreachable!() };
    let mut connection = pool.acquire().await.unwrap();
    let prepare = format!("PREPARE page (text, text, bigint) AS {}", page.postgres);
    for text in ["SET plan_cache_mode = force_generic_plan", prepare.as_str()] {
        sqlx::raw_sql(AssertSqlSafe(text)).execute(&mut *connection).await.unwrap();
    }
    let explain = "EXPLAIN EXECUTE page ('prj_none', 'job_z', 21)";
    let rows = sqlx::raw_sql(explain).fetch_all(&mut *connection).await.unwrap();
    let plan: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    assert!(plan.iter().any(|line| line.contains("jobs_by_project")), "{plan:#?}");
    drop(connection);
    bed.close().await;
}
