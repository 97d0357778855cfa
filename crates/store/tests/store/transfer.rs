//! Export and import: rows are the same on both databases.

use futures::TryStreamExt;

use super::test_store::{NOW, TestStore};
use auris_store::{CarriedRow, NamedBlob, Store, StoreError};

async fn all_rows(store: &Store) -> Vec<(String, Vec<CarriedRow>)> {
    let mut snapshot = store.snapshot().await.unwrap();
    let mut tables = Vec::new();
    for table in snapshot.tables.clone() {
        let mut rows: Vec<CarriedRow> = snapshot.rows(&table).try_collect().await.unwrap();
        rows.sort_by_key(|row| serde_json::to_string(row).unwrap());
        tables.push((table, rows));
    }
    tables.sort_by(|one, other| one.0.cmp(&other.0));
    tables
}

async fn copy(from: &Store, to: &Store) {
    let mut restoration = to.restore().await.unwrap().expect("an empty database");
    let mut snapshot = from.snapshot().await.unwrap();
    for table in snapshot.tables.clone() {
        let mut rows = snapshot.rows(&table);
        while let Some(row) = rows.try_next().await.unwrap() {
            restoration.insert(&table, &row).await.unwrap();
        }
    }
    restoration.commit().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_the_same_after_export_and_import_in_both_directions() {
    let sqlite = TestStore::sqlite().await;
    let postgres = TestStore::postgres().await;
    let back = TestStore::sqlite().await;
    sqlite.job(&[&[], &[0]]).await;
    let claimed = sqlite.claim("worker").await.remove(0);
    sqlite.complete(&claimed).await.unwrap();
    sqlite.job(&[&[]]).await;
    let before = all_rows(&sqlite.store).await;
    let jobs = before.iter().find(|(table, _)| table == "jobs").unwrap();
    assert_eq!(jobs.1.len(), 2);
    copy(&sqlite.store, &postgres.store).await;
    assert_eq!(all_rows(&postgres.store).await, before);
    copy(&postgres.store, &back.store).await;
    assert_eq!(all_rows(&back.store).await, before);
    assert!(back.store.restore().await.unwrap().is_none(), "the database is not empty");
    for test in [sqlite, postgres, back] {
        test.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_gets_neither_the_installation_id_nor_the_orphans_of_the_export() {
    let source = TestStore::sqlite().await;
    let target = TestStore::postgres().await;
    source.store.set_installation_once("source").await.unwrap();
    source.store.set_shared_value_once("color", "red").await.unwrap();
    source.store.remember_orphans(&["key".to_owned()], NOW).await.unwrap();
    copy(&source.store, &target.store).await;
    assert_eq!(target.store.installation().await.unwrap(), None);
    assert_eq!(target.store.shared_value("color").await.unwrap().as_deref(), Some("red"));
    assert!(target.store.orphans_found_before(&["key".to_owned()], NOW).await.unwrap().is_empty());
    for test in [source, target] {
        test.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn names_in_an_import_are_not_run_as_sql() {
    let test = TestStore::sqlite().await;
    let mut restoration = test.store.restore().await.unwrap().unwrap();
    let row: CarriedRow = serde_json::from_str(r#"{"id": "x"}"#).unwrap();
    for table in ["nothing", "jobs; DROP TABLE jobs", "schema_migrations"] {
        assert!(restoration.insert(table, &row).await.is_err(), "{table}");
    }
    let row: CarriedRow = serde_json::from_str(r#"{"id) VALUES ('x'); --": "x"}"#).unwrap();
    assert!(restoration.insert("projects", &row).await.is_err());
    drop(restoration);
    test.close().await;
}

#[test]
fn an_exported_artifact_names_its_blob_unless_its_content_was_deleted() {
    let row = |text: &str| serde_json::from_str::<CarriedRow>(text).unwrap();
    let available = row(r#"{"status": "available", "blob_key": "a/b", "bytes": 3}"#);
    let blob = NamedBlob { key: "a/b".into(), bytes: 3 };
    assert_eq!(NamedBlob::of("artifacts", &available).unwrap(), Some(blob));
    assert_eq!(NamedBlob::of("jobs", &available).unwrap(), None);
    let deleted = row(r#"{"status": "deleted", "blob_key": "a/b", "bytes": 3}"#);
    assert_eq!(NamedBlob::of("artifacts", &deleted).unwrap(), None);
    let damaged = row(r#"{"status": "available", "blob_key": "a/b", "bytes": -3}"#);
    assert!(matches!(NamedBlob::of("artifacts", &damaged), Err(StoreError::Corrupt(_))));
}
