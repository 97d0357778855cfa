//! Rows that this program never wrote are told as such, and never bring it down.

use super::bed::Bed;
use super::on_both;
use crate::StoreError;
use crate::sql::database::args;

on_both! {
    async fn a_row_that_cannot_be_read_is_corrupt_and_no_panic(bed) {
        let damages = [
            "UPDATE jobs SET metadata = 'no json'",
            "UPDATE jobs SET metadata = '{}', current_steps = '{\"not\": \"a list\"}'",
            "UPDATE jobs SET current_steps = '[]', max_cost_usd = '1e9'",
            "UPDATE jobs SET max_cost_usd = NULL, failure_policy = 'whatever'",
            "UPDATE jobs SET failure_policy = 'fail_fast', usage = '[]'",
            "UPDATE jobs SET usage = NULL, total_steps = -1",
        ];
        let id = bed.finished_job().await;
        for damage in damages {
            bed.sql(damage, args![]).await;
            let read = bed.store.job(&bed.project, &id).await;
            assert!(matches!(read, Err(StoreError::Corrupt(_))), "{damage}: {read:?}");
            assert!(matches!(bed.store.list_jobs(&bed.project, None, 5).await, Err(StoreError::Corrupt(_))));
        }
    }

    async fn damaged_steps_and_events_are_corrupt_too(bed) {
        let id = bed.job(&[&[], &[0]]).await;
        bed.sql("UPDATE events SET data = '7' WHERE sequence = 1", args![]).await;
        assert!(matches!(bed.store.read_events(&id, 0, 10).await, Err(StoreError::Corrupt(_))));
        bed.sql("UPDATE steps SET capability = 'mind reading' WHERE ordinal = 1", args![]).await;
        assert!(matches!(bed.store.load_run(&id).await, Err(StoreError::Corrupt(_))));
        bed.sql("DELETE FROM steps WHERE ordinal = 0", args![]).await;
        bed.sql("UPDATE steps SET capability = 'task'", args![]).await;
        assert!(matches!(bed.store.load_run(&id).await, Err(StoreError::Corrupt(_))));
    }

    async fn what_the_rules_forbid_the_database_refuses(bed) {
        bed.job(&[&[]]).await;
        let forbidden = [
            "UPDATE jobs SET status = 'lost'",
            "UPDATE jobs SET percent = 100",
            "UPDATE jobs SET status = 'completed'",
            "UPDATE steps SET status = 'done'",
            "UPDATE steps SET worker = 'nobody'",
        ];
        for text in forbidden {
            let statement = crate::sql::statements::Statement { sqlite: text, postgres: text };
            let refused = bed.store.database().write(&statement, args![]).await;
            assert!(matches!(refused, Err(StoreError::Internal(_))), "{text}");
        }
        assert_eq!(bed.claim("worker").await.len(), 1);
    }
}
