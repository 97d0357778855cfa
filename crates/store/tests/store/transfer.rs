//! Rows carried from one database to the other and back are the same rows.

use futures::TryStreamExt;

use super::bed::Bed;
use crate::{CarriedRow, Store};

async fn everything(store: &Store) -> Vec<(String, Vec<CarriedRow>)> {
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

async fn carry(from: &Store, to: &Store) {
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
async fn rows_are_the_same_there_and_back() {
    let (sqlite, postgres, back) = (Bed::sqlite().await, Bed::postgres().await, Bed::sqlite().await);
    sqlite.job(&[&[], &[0]]).await;
    let claimed = sqlite.claim("worker").await.remove(0);
    sqlite.complete(&claimed).await.unwrap();
    sqlite.job(&[&[]]).await;
    let before = everything(&sqlite.store).await;
    let jobs = before.iter().find(|(table, _)| table == "jobs").unwrap();
    assert_eq!(jobs.1.len(), 2);
    carry(&sqlite.store, &postgres.store).await;
    assert_eq!(everything(&postgres.store).await, before);
    carry(&postgres.store, &back.store).await;
    assert_eq!(everything(&back.store).await, before);
    assert!(back.store.restore().await.unwrap().is_none(), "there are jobs now");
    for bed in [sqlite, postgres, back] {
        bed.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_file_says_is_no_sql() {
    let bed = Bed::sqlite().await;
    let mut restoration = bed.store.restore().await.unwrap().unwrap();
    let row: CarriedRow = serde_json::from_str(r#"{"id": "x"}"#).unwrap();
    for table in ["nothing", "jobs; DROP TABLE jobs", "schema_migrations"] {
        assert!(restoration.insert(table, &row).await.is_err(), "{table}");
    }
    let row: CarriedRow = serde_json::from_str(r#"{"id) VALUES ('x'); --": "x"}"#).unwrap();
    assert!(restoration.insert("projects", &row).await.is_err());
    drop(restoration);
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_goes_to_one_node_until_it_is_due_again() {
    use super::bed::NOW;
    let bed = Bed::postgres().await;
    let other = bed.other_node().await;
    assert!(bed.store.take_chore("sweep", NOW, NOW.plus_ms(1000)).await.unwrap());
    assert!(!other.take_chore("sweep", NOW.plus_ms(999), NOW.plus_ms(5000)).await.unwrap());
    assert!(other.take_chore("sweep", NOW.plus_ms(1000), NOW.plus_ms(2000)).await.unwrap());
    assert_eq!(bed.store.agree("colour", "red").await.unwrap(), "red");
    assert_eq!(other.agree("colour", "blue").await.unwrap(), "red", "the first said it");
    assert!(other.change_agreement("colour", "red", "blue").await.unwrap());
    assert!(!other.change_agreement("colour", "red", "green").await.unwrap());
    other.close().await;
    bed.close().await;
}
