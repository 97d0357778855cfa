//! Projects and keys.

use auris_domain::id::{KeyId, RequestId};
use auris_domain::model::Capability;
use auris_domain::project::{ApiKey, KeySecret, ProjectLimits, Scope};
use auris_domain::time::{Timestamp, Uptime};

use super::builders::usage;
use super::on_both_databases;
use super::test_store::{NOW, TestStore};
use auris_store::{Span, SyncUsage, UsageLine};

fn key(test: &TestStore, name: &str) -> (ApiKey, KeySecret) {
    let secret = KeySecret::generate();
    let key = ApiKey {
        id: KeyId::generate(NOW),
        project_id: test.project.clone(),
        name: name.into(),
        scopes: vec![Scope::Read, Scope::Write],
        hint: secret.hint(),
        created_at: NOW.timestamp(),
        expires_at: Some(NOW.timestamp().plus_seconds(60)),
        revoked_at: None,
        last_used_at: None,
    };
    (key, secret)
}

on_both_databases! {
    async fn project_names_are_unique(test) {
        let made = test.store.create_project("mine", NOW).await.unwrap().unwrap();
        assert_eq!(test.store.create_project("mine", NOW).await.unwrap(), None);
        assert_eq!(test.store.project_by_name("mine").await.unwrap(), Some(made.clone()));
        assert_eq!(test.store.project_by_name("yours").await.unwrap(), None);
        assert!(test.store.projects().await.unwrap().contains(&made));
    }

    async fn a_key_is_found_by_its_secret_revoked_and_its_use_recorded(test) {
        let (key, secret) = key(test, "laptop");
        test.store.create_key(&key, &secret).await.unwrap();
        let (found, project) = test.store.find_key(&secret).await.unwrap().unwrap();
        assert_eq!((found, &project.id), (key.clone(), &test.project));
        assert!(test.store.find_key(&KeySecret::generate()).await.unwrap().is_none());

        let due = [0, 30_000, 59_999, 60_000].map(|age| test.store.is_touch_due(&key.id, Uptime(age)));
        assert_eq!(due, [true, false, false, true]);
        for age in [61_000, 30_000] {
            test.store.touch_key(&key.id, NOW.plus_ms(age)).await.unwrap();
        }
        let used = test.store.keys(&test.project).await.unwrap().remove(0).last_used_at;
        assert_eq!(used, Some(NOW.plus_ms(61_000).timestamp()));

        assert!(test.store.revoke_key(&test.project, &key.id, NOW).await.unwrap());
        assert!(test.store.revoke_key(&test.project, &key.id, NOW.plus_ms(9_000)).await.unwrap());
        assert!(!test.store.revoke_key(&test.project, &KeyId::generate(NOW), NOW).await.unwrap());
        let (revoked, _) = test.store.find_key(&secret).await.unwrap().unwrap();
        assert_eq!(revoked.revoked_at, Some(NOW.timestamp()));
    }

    async fn a_rotated_key_works_until_its_grace_period_ends_and_the_new_one_at_once(test) {
        let (old, old_secret) = key(test, "old");
        test.store.create_key(&old, &old_secret).await.unwrap();
        let (new, new_secret) = key(test, "new");
        let grace = NOW.timestamp().plus_seconds(30);
        assert!(test.store.rotate_key(&old.id, grace, &new, &new_secret).await.unwrap());
        let ends = test.store.find_key(&old_secret).await.unwrap().unwrap().0.expires_at;
        assert_eq!(ends, Some(grace));
        assert_eq!(test.store.find_key(&new_secret).await.unwrap().unwrap().0, new);
        // A second rotation does not extend the old key.
        let (third, third_secret) = key(test, "third");
        let later = grace.plus_seconds(30);
        assert!(test.store.rotate_key(&old.id, later, &third, &third_secret).await.unwrap());
        let ends = test.store.find_key(&old_secret).await.unwrap().unwrap().0.expires_at;
        assert_eq!(ends, Some(grace));
        test.store.revoke_key(&test.project, &new.id, NOW).await.unwrap();
        let (fourth, fourth_secret) = key(test, "fourth");
        assert!(!test.store.rotate_key(&new.id, grace, &fourth, &fourth_secret).await.unwrap());
        assert!(test.store.find_key(&fourth_secret).await.unwrap().is_none());
    }

    async fn plans_and_limits_of_a_project_can_be_changed(test) {
        let limits = ProjectLimits { requests_per_minute: Some(9), concurrent_transcriptions: None };
        test.store.set_plan(&test.project, "pro").await.unwrap();
        test.store.set_limits(&test.project, limits).await.unwrap();
        let project = test.store.project_by_name("test").await.unwrap().unwrap();
        assert_eq!((project.plan.as_str(), project.limits), ("pro", limits));
    }

    async fn usage_is_summed_by_day_and_model_within_a_span(test) {
        let day = 86_400_000;
        for (age, model, cost) in [(0, "a", "0.1"), (0, "a", "0.2"), (0, "b", "1"), (day, "a", "5")] {
            let used = SyncUsage {
                request_id: RequestId::generate(NOW),
                project_id: test.project.clone(),
                model: model.into(),
                capability: Capability::Transcription,
                usage: usage(cost),
                held: false,
                now: NOW.plus_ms(age),
            };
            test.store.record_sync_usage(&used, None).await.unwrap();
        }
        test.store.credit(&test.project, "7".parse().unwrap(), NOW).await.unwrap();
        let summary = |lines: Vec<UsageLine>| -> Vec<(String, String, u64, String)> {
            lines.into_iter().map(|line| (line.day, line.model, line.entries, line.usage.cost_usd.to_string())).collect()
        };
        let first = ("2025-11-15".to_owned(), "a".to_owned(), 2, "0.3".to_owned());
        let second = ("2025-11-15".to_owned(), "b".to_owned(), 1, "1".to_owned());
        let third = ("2025-11-16".to_owned(), "a".to_owned(), 1, "5".to_owned());
        let all = test.store.usage_lines(&test.project, Span::default()).await.unwrap();
        assert_eq!(summary(all), [first.clone(), second.clone(), third.clone()]);
        let midnight = Timestamp::of_day("2025-11-16");
        let before = Span { since: None, until: midnight };
        assert_eq!(summary(test.store.usage_lines(&test.project, before).await.unwrap()), [first, second]);
        let after = Span { since: midnight, until: None };
        assert_eq!(summary(test.store.usage_lines(&test.project, after).await.unwrap()), [third]);
    }
}
