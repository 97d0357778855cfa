//! Migrations: upgrades of older databases, checksums, and nodes that start at the same time.

use auris_store::{Store, StoreError};

use super::on_both_databases;
use super::test_store::{TestStore, args};

const WITHOUT_CHECKSUM: &str = "SELECT COUNT(*) AS n FROM schema_migrations WHERE checksum IS NULL";

/// The message of the cause, which the operator sees.
fn cause(error: &StoreError) -> String {
    std::error::Error::source(error).unwrap().to_string()
}

on_both_databases! {
    async fn migrating_again_does_nothing(test) {
        assert_eq!(test.store.migrate().await.unwrap(), 0);
        assert_eq!(test.other_node().await.migrate().await.unwrap(), 0);
    }

    async fn a_newer_schema_that_only_added_is_accepted(test) {
        test.sql("INSERT INTO schema_migrations (version) VALUES (999)", args![]).await;
        test.sql("ALTER TABLE jobs ADD COLUMN color TEXT", args![]).await;
        assert_eq!(test.store.migrate().await.unwrap(), 0);
        assert_eq!(test.store.schema_version().await.unwrap(), 999);
    }

    async fn a_newer_schema_that_this_program_cannot_use_is_refused(test) {
        test.sql("INSERT INTO schema_migrations (version, oldest) VALUES (999, 998)", args![]).await;
        let error = test.store.migrate().await.unwrap_err();
        assert!(cause(&error).contains("needs a program that knows schema 998"), "{error:?}");
    }

    async fn every_migration_has_a_checksum(test) {
        let checksums = test.texts("SELECT checksum FROM schema_migrations ORDER BY version", args![]).await;
        assert_eq!(checksums.len() as u32, Store::known_schema());
        let is_sha256 = |text: &String| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        assert!(checksums.iter().all(is_sha256), "{checksums:?}");
        test.store.verify_migrations().await.unwrap();
    }

    async fn missing_checksums_are_filled_in_once(test) {
        test.sql("UPDATE schema_migrations SET checksum = NULL", args![]).await;
        test.store.verify_migrations().await.unwrap();
        assert_eq!(test.store.migrate().await.unwrap(), 0);
        assert_eq!(test.number(WITHOUT_CHECKSUM, args![]).await, 0);
    }

    async fn an_edited_migration_is_refused(test) {
        test.sql("UPDATE schema_migrations SET checksum = 'abc' WHERE version = 2", args![]).await;
        for error in [test.store.migrate().await.unwrap_err(), test.store.verify_migrations().await.unwrap_err()] {
            let message = cause(&error);
            assert!(message.starts_with("migration 2 was applied to this database with another text"), "{message}");
            assert!(message.contains("SHA-256 abc") && message.contains("new migration"), "{message}");
        }
        let stored = test.texts("SELECT checksum FROM schema_migrations WHERE version = 2", args![]).await;
        assert_eq!(stored, ["abc"], "the stored checksum is not overwritten");
    }

    async fn an_edited_migration_is_refused_on_a_newer_schema_too(test) {
        test.sql("INSERT INTO schema_migrations (version) VALUES (999)", args![]).await;
        test.sql("UPDATE schema_migrations SET checksum = 'abc' WHERE version = 1", args![]).await;
        assert!(cause(&test.store.migrate().await.unwrap_err()).starts_with("migration 1 was applied"));
    }
}

/// Deliveries that waited for a receiver before there were receivers wait in one afterwards.
async fn is_upgraded_with_its_data(test: TestStore) {
    let job = "INSERT INTO jobs (id, project_id, operation, status, version, event_seq, created_at, completed_at, expires_at,
            percent, completed_steps, total_steps, current_steps, failure_policy, metadata)
        VALUES ('job_00000000000000000001', $1, 'analysis', 'failed', 1, 1, 1, 1, 1, 0, 0, 1, '[]', 'fail_fast', '{}')";
    test.sql(job, args![&test.project]).await;
    let delivery = "INSERT INTO deliveries
            (id, event_id, job_id, project_id, endpoint_id, url, body, status, attempts, next_attempt_ms, created_at)
        VALUES ($1, 'evt_00000000000000000001', 'job_00000000000000000001', $2, $3, 'https://a.example/x', '{}', 'pending', 0, 1, 1)";
    test.sql(delivery, args!["dlv_00000000000000000001", &test.project, "whk_00000000000000000001"]).await;
    test.sql(delivery, args!["dlv_00000000000000000002", &test.project, None::<&str>]).await;
    assert_eq!(test.store.migrate().await.unwrap(), Store::known_schema() - 1);
    let receivers = test.store.waiting_receivers().await.unwrap();
    let names: Vec<&str> = receivers.iter().map(|receiver| receiver.name.as_str()).collect();
    let own = format!("{} https://a.example/x", test.project);
    assert_eq!(names, [own.as_str(), "whk_00000000000000000001"]);
    assert_eq!(test.number(WITHOUT_CHECKSUM, args![]).await, 0);
    test.close().await;
}

#[tokio::test]
async fn the_first_schema_is_upgraded_with_its_data_on_sqlite() {
    is_upgraded_with_its_data(TestStore::sqlite_at(1).await).await;
}

#[tokio::test]
async fn the_first_schema_is_upgraded_with_its_data_on_postgres() {
    is_upgraded_with_its_data(TestStore::postgres_at(1).await).await;
}

/// The schema of the last program without checksums.
async fn gets_checksums(test: TestStore) {
    test.store.verify_migrations().await.unwrap();
    assert_eq!(test.store.migrate().await.unwrap(), Store::known_schema() - 4);
    assert_eq!(test.number(WITHOUT_CHECKSUM, args![]).await, 0);
    test.finished_job().await;
    test.close().await;
}

#[tokio::test]
async fn a_database_without_checksums_gets_them_on_sqlite() {
    gets_checksums(TestStore::sqlite_at(4).await).await;
}

#[tokio::test]
async fn a_database_without_checksums_gets_them_on_postgres() {
    gets_checksums(TestStore::postgres_at(4).await).await;
}

#[tokio::test]
async fn nodes_that_start_at_the_same_time_migrate_once() {
    let test = TestStore::postgres().await;
    test.sql("DROP SCHEMA public CASCADE", args![]).await;
    test.sql("CREATE SCHEMA public", args![]).await;
    let nodes = (0..4).map(|_| async { test.other_node().await.migrate().await.unwrap() });
    let ran: u32 = futures::future::join_all(nodes).await.into_iter().sum();
    assert_eq!(ran, Store::known_schema());
    test.close().await;
}
