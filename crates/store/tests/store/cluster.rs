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
