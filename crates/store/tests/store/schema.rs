//! The schema and the statements, the same on both databases.

use auris_store::{StoreError, all_batches, all_statements};
use sqlx::{AssertSqlSafe, Executor, Row as _, SqlSafeStr};

use super::on_both_databases;
use super::test_store::{NOW, Pool, TestStore, args};

const SQLITE_COLUMNS: &str =
    "SELECT m.name || '.' || c.name || ' ' || lower(c.type) || ' ' || c.\"notnull\" AS line
    FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
    WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY 1";
const POSTGRES_COLUMNS: &str = "SELECT table_name || '.' || column_name || ' ' || data_type || ' ' ||
        CASE is_nullable WHEN 'NO' THEN '1' ELSE '0' END AS line
    FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1";
const SQLITE_INDEXES: &str =
    "SELECT name AS line FROM sqlite_master WHERE type = 'index' AND name NOT LIKE 'sqlite_%' ORDER BY 1";
const POSTGRES_INDEXES: &str = "SELECT CAST(indexname AS TEXT) AS line FROM pg_indexes
    WHERE schemaname = 'public' AND indexname NOT LIKE '%_pkey' AND indexname NOT LIKE '%_key' ORDER BY 1";

#[tokio::test]
async fn both_databases_have_the_same_schema() {
    let sqlite = TestStore::sqlite().await;
    let postgres = TestStore::postgres().await;
    let columns = sqlite.texts(SQLITE_COLUMNS, args![]).await;
    assert!(columns.len() > 100, "{columns:?}");
    assert_eq!(columns, postgres.texts(POSTGRES_COLUMNS, args![]).await);
    let indexes = sqlite.texts(SQLITE_INDEXES, args![]).await;
    assert!(indexes.contains(&"steps_queued".to_owned()), "{indexes:?}");
    assert_eq!(indexes, postgres.texts(POSTGRES_INDEXES, args![]).await);
    sqlite.close().await;
    postgres.close().await;
}

on_both_databases! {
    async fn every_statement_prepares(test) {
        let all = all_statements();
        assert!(all.len() > 130, "{}", all.len());
        assert!(all.iter().any(|statement| statement.name.contains("sql::migrations")));
        for statement in all {
            let error = match &test.pool {
                Pool::Sqlite(connection) => {
                    connection.lock().prepare(statement.sqlite).err().map(|error| error.to_string())
                }
                Pool::Postgres(pool) => {
                    let prepared = pool.prepare(statement.postgres.into_sql_str()).await;
                    prepared.err().map(|error| error.to_string())
                }
            };
            assert_eq!(error, None, "{}", statement.name);
        }
    }

    async fn a_ping_succeeds_until_the_store_is_closed(test) {
        test.store.ping().await.unwrap();
        let other = test.other_node().await;
        other.close().await;
        assert!(matches!(other.ping().await, Err(StoreError::Unavailable(_))));
    }

    async fn text_with_a_nul_character_is_refused(test) {
        let created = test.store.create_project("no\0pe", NOW).await;
        assert!(matches!(created, Err(StoreError::Internal(_))));
    }
}

/// On SQLite a batch is never made: its writes run one by one, and `every_statement_prepares` sees each of them.
#[tokio::test]
async fn every_batch_prepares_on_postgres() {
    let test = TestStore::postgres().await;
    let batches = all_batches();
    assert!(batches.len() >= 3, "{batches:#?}");
    assert!(batches[0].starts_with("WITH part_0 AS (") && batches[0].contains("part_9"), "{}", batches[0]);
    for batch in batches {
        let prepared = test.postgres_pool().prepare(AssertSqlSafe(batch.clone()).into_sql_str()).await;
        prepared.unwrap_or_else(|error| panic!("{batch}: {error}"));
    }
    test.close().await;
}

/// A small project's page must not cost a scan of other projects' jobs, whatever the statistics say.
#[tokio::test]
async fn a_page_reads_only_its_project_s_part_of_the_index() {
    let test = TestStore::postgres().await;
    let crowd = test.store.create_project("crowd", NOW).await.unwrap().unwrap().id;
    let fill = "INSERT INTO jobs (id, project_id, operation, status, version, event_seq, created_at, completed_at,
            expires_at, percent, completed_steps, total_steps, current_steps, failure_policy, metadata)
        SELECT 'job_' || lpad(i::text, 20, '0'), $1, 'transcription', 'failed', 1, 1, 1, 1, 1, 0, 0, 1, '[]', 'fail_fast', '{}'
        FROM generate_series(1, 5000) AS i";
    test.sql(fill, args![&crowd]).await;
    test.sql("ANALYZE", args![]).await;
    let all = all_statements();
    let page = all.iter().find(|statement| statement.name.ends_with("jobs::read::PAGE")).unwrap();
    let mut connection = test.postgres_pool().acquire().await.unwrap();
    let prepare = format!("PREPARE page (text, text, bigint) AS {}", page.postgres);
    for text in ["SET plan_cache_mode = force_generic_plan", prepare.as_str()] {
        sqlx::raw_sql(AssertSqlSafe(text)).execute(&mut *connection).await.unwrap();
    }
    let explain = "EXPLAIN EXECUTE page ('prj_none', 'job_z', 21)";
    let rows = sqlx::raw_sql(explain).fetch_all(&mut *connection).await.unwrap();
    let plan: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    assert!(plan.iter().any(|line| line.contains("jobs_by_project")), "{plan:#?}");
    drop(connection);
    test.close().await;
}
