//! What nodes on one database share.

use super::on_both_databases;
use super::test_store::{NOW, TestStore};

on_both_databases! {
    async fn a_periodic_task_is_claimed_by_one_node_until_it_is_due_again(test) {
        let other = test.other_node().await;
        assert!(test.store.claim_task("sweep", NOW, NOW.plus_ms(1000)).await.unwrap());
        assert!(!other.claim_task("sweep", NOW.plus_ms(999), NOW.plus_ms(5000)).await.unwrap());
        assert!(other.claim_task("sweep", NOW.plus_ms(1000), NOW.plus_ms(2000)).await.unwrap());
        other.close().await;
    }

    async fn the_last_time_of_a_task_is_recorded(test) {
        assert_eq!(test.store.task_last_done("sweep").await.unwrap(), None);
        test.store.record_task("sweep", NOW).await.unwrap();
        test.store.record_task("sweep", NOW.plus_ms(5)).await.unwrap();
        assert_eq!(test.store.task_last_done("sweep").await.unwrap(), Some(NOW.plus_ms(5)));
        assert!(test.store.claim_task("sweep", NOW, NOW.plus_ms(1000)).await.unwrap(), "it is a separate time");
    }

    async fn an_orphan_blob_is_remembered_since_it_was_first_found(test) {
        let keys = ["one".to_owned(), "other".to_owned()];
        let found_before = |ms| test.store.orphans_found_before(&keys, NOW.plus_ms(ms));
        test.store.remember_orphans(&keys[..1], NOW).await.unwrap();
        test.store.remember_orphans(&keys, NOW.plus_ms(10)).await.unwrap();
        assert_eq!(found_before(-1).await.unwrap(), Vec::<String>::new());
        assert_eq!(found_before(9).await.unwrap(), ["one"]);
        assert_eq!(found_before(10).await.unwrap().len(), 2);
        test.store.remember_orphans(&keys[1..], NOW.plus_ms(20)).await.unwrap();
        test.store.forget_unseen_orphans(NOW.plus_ms(20)).await.unwrap();
        assert_eq!(found_before(20).await.unwrap(), ["other"]);
        test.store.forget_orphans(&keys).await.unwrap();
        assert_eq!(found_before(20).await.unwrap(), Vec::<String>::new());
    }

    async fn the_first_node_decides_the_id_of_the_installation(test) {
        let other = test.other_node().await;
        assert_eq!(test.store.installation().await.unwrap(), None);
        assert_eq!(test.store.set_installation_once("one").await.unwrap(), "one");
        assert_eq!(other.set_installation_once("other").await.unwrap(), "one");
        assert_eq!(other.installation().await.unwrap().as_deref(), Some("one"));
        other.close().await;
    }

    async fn a_shared_value_is_set_by_the_first_node_and_replaced_only_if_it_is_known(test) {
        let other = test.other_node().await;
        assert_eq!(test.store.shared_value("color").await.unwrap(), None);
        assert_eq!(test.store.set_shared_value_once("color", "red").await.unwrap(), "red");
        assert_eq!(other.set_shared_value_once("color", "blue").await.unwrap(), "red");
        assert!(other.replace_shared_value("color", "red", "blue").await.unwrap());
        assert!(!other.replace_shared_value("color", "red", "green").await.unwrap());
        assert_eq!(test.store.shared_value("color").await.unwrap().as_deref(), Some("blue"));
        other.close().await;
    }
}
