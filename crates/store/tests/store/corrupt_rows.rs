//! Rows that this program never wrote are reported as corrupt and cause no panic.

use super::on_both_databases;
use super::test_store::{TestStore, args};
use auris_store::StoreError;

on_both_databases! {
    async fn a_row_that_cannot_be_read_is_corrupt_and_does_not_panic(test) {
        let damages = [
            "UPDATE jobs SET metadata = 'no json'",
            "UPDATE jobs SET metadata = '{}', current_steps = '{\"not\": \"a list\"}'",
            "UPDATE jobs SET current_steps = '[]', max_cost_usd = '1e9'",
            "UPDATE jobs SET max_cost_usd = NULL, failure_policy = 'whatever'",
            "UPDATE jobs SET failure_policy = 'fail_fast', usage = '[]'",
            "UPDATE jobs SET usage = NULL, total_steps = -1",
        ];
        let id = test.finished_job().await;
        for damage in damages {
            test.sql(damage, args![]).await;
            let read = test.store.job(&test.project, &id).await;
            assert!(matches!(read, Err(StoreError::Corrupt(_))), "{damage}: {read:?}");
            assert!(matches!(test.store.list_jobs(&test.project, None, 5).await, Err(StoreError::Corrupt(_))));
        }
    }

    async fn damaged_steps_and_events_are_corrupt_too(test) {
        let id = test.job(&[&[], &[0]]).await;
        test.sql("UPDATE events SET data = '7' WHERE sequence = 1", args![]).await;
        assert!(matches!(test.store.read_events(&id, 0, 10).await, Err(StoreError::Corrupt(_))));
        test.sql("UPDATE steps SET capability = 'mind reading' WHERE ordinal = 1", args![]).await;
        assert!(matches!(test.store.load_run(&id).await, Err(StoreError::Corrupt(_))));
        test.sql("DELETE FROM steps WHERE ordinal = 0", args![]).await;
        test.sql("UPDATE steps SET capability = 'task'", args![]).await;
        assert!(matches!(test.store.load_run(&id).await, Err(StoreError::Corrupt(_))));
    }

    async fn a_step_without_a_model_is_corrupt(test) {
        let id = test.job(&[&[]]).await;
        test.claim("worker").await;
        test.sql("UPDATE steps SET resolved_model = NULL, requested_model = NULL", args![]).await;
        assert!(matches!(test.store.load_run(&id).await, Err(StoreError::Corrupt(_))));
    }

    async fn the_database_refuses_states_that_the_rules_forbid(test) {
        test.job(&[&[]]).await;
        let forbidden = [
            "UPDATE jobs SET status = 'lost'",
            "UPDATE jobs SET percent = 100",
            "UPDATE jobs SET status = 'completed'",
            "UPDATE steps SET status = 'done'",
            "UPDATE steps SET worker = 'another'",
        ];
        for text in forbidden {
            let refused = test.try_sql(text, args![]).await;
            assert!(refused.is_err_and(|error| error.to_string().contains("constraint")), "{text}");
        }
        assert_eq!(test.claim("worker").await.len(), 1);
    }
}
