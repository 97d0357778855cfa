//! Projects and keys.

use auris_domain::id::{KeyId, RequestId};
use auris_domain::model::Capability;
use auris_domain::project::{ApiKey, KeySecret, ProjectLimits, Scope};
use auris_domain::time::Timestamp;

use super::bed::{Bed, NOW};
use super::build::usage;
use super::on_both;
use crate::{Span, SyncUsage, UsageLine};

fn key(bed: &Bed, name: &str) -> (ApiKey, KeySecret) {
    let secret = KeySecret::generate();
    let key = ApiKey {
        id: KeyId::generate(NOW),
        project_id: bed.project.clone(),
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

on_both! {
    async fn a_project_s_name_is_taken_once(bed) {
        let made = bed.store.create_project("mine", NOW).await.unwrap().unwrap();
        assert_eq!(bed.store.create_project("mine", NOW).await.unwrap(), None);
        assert_eq!(bed.store.project_by_name("mine").await.unwrap(), Some(made.clone()));
        assert_eq!(bed.store.project_by_name("yours").await.unwrap(), None);
        assert!(bed.store.projects().await.unwrap().contains(&made));
    }

    async fn a_key_is_found_by_its_hash_revoked_and_touched(bed) {
        let (key, secret) = key(bed, "laptop");
        bed.store.create_key(&key, &secret).await.unwrap();
        let (found, project) = bed.store.find_key(&secret).await.unwrap().unwrap();
        assert_eq!((found, &project.id), (key.clone(), &bed.project));
        assert!(bed.store.find_key(&KeySecret::generate()).await.unwrap().is_none());

        let due = [0, 30_000, 59_999, 60_000].map(|age| bed.store.is_touch_due(&key.id, NOW.plus_ms(age)));
        assert_eq!(due, [true, false, false, true]);
        for age in [61_000, 30_000] {
            bed.store.touch_key(&key.id, NOW.plus_ms(age)).await.unwrap();
        }
        let used = bed.store.keys(&bed.project).await.unwrap().remove(0).last_used_at;
        assert_eq!(used, Some(NOW.plus_ms(61_000).timestamp()));

        assert!(bed.store.revoke_key(&bed.project, &key.id, NOW).await.unwrap());
        assert!(bed.store.revoke_key(&bed.project, &key.id, NOW.plus_ms(9_000)).await.unwrap());
        assert!(!bed.store.revoke_key(&bed.project, &KeyId::generate(NOW), NOW).await.unwrap());
        let (revoked, _) = bed.store.find_key(&secret).await.unwrap().unwrap();
        assert_eq!(revoked.revoked_at, Some(NOW.timestamp()));
    }

    async fn a_rotated_key_works_until_its_grace_ends_and_the_new_one_at_once(bed) {
        let (old, old_secret) = key(bed, "old");
        bed.store.create_key(&old, &old_secret).await.unwrap();
        let (new, new_secret) = key(bed, "new");
        let grace = NOW.timestamp().plus_seconds(30);
        assert!(bed.store.rotate_key(&old.id, grace, &new, &new_secret).await.unwrap());
        let ends = bed.store.find_key(&old_secret).await.unwrap().unwrap().0.expires_at;
        assert_eq!(ends, Some(grace));
        assert_eq!(bed.store.find_key(&new_secret).await.unwrap().unwrap().0, new);
        // A second rotation never gives the old key more time.
        let (third, third_secret) = key(bed, "third");
        let later = grace.plus_seconds(30);
        assert!(bed.store.rotate_key(&old.id, later, &third, &third_secret).await.unwrap());
        let ends = bed.store.find_key(&old_secret).await.unwrap().unwrap().0.expires_at;
        assert_eq!(ends, Some(grace));
        bed.store.revoke_key(&bed.project, &new.id, NOW).await.unwrap();
        let (fourth, fourth_secret) = key(bed, "fourth");
        assert!(!bed.store.rotate_key(&new.id, grace, &fourth, &fourth_secret).await.unwrap());
        assert!(bed.store.find_key(&fourth_secret).await.unwrap().is_none());
    }

    async fn plans_and_limits_of_a_project_can_be_changed(bed) {
        let limits = ProjectLimits { requests_per_minute: Some(9), concurrent_transcriptions: None };
        bed.store.set_plan(&bed.project, "pro").await.unwrap();
        bed.store.set_limits(&bed.project, limits).await.unwrap();
        let project = bed.store.project_by_name("test").await.unwrap().unwrap();
        assert_eq!((project.plan.as_str(), project.limits), ("pro", limits));
    }

    async fn usage_is_told_by_day_and_model_within_a_span(bed) {
        let day = 86_400_000;
        for (age, model, cost) in [(0, "a", "0.1"), (0, "a", "0.2"), (0, "b", "1"), (day, "a", "5")] {
            let used = SyncUsage {
                request_id: RequestId::generate(NOW),
                project_id: bed.project.clone(),
                model: model.into(),
                capability: Capability::Transcription,
                usage: usage(cost),
                held: false,
                now: NOW.plus_ms(age),
            };
            bed.store.record_sync_usage(&used, None).await.unwrap();
        }
        bed.store.credit(&bed.project, "7".parse().unwrap(), NOW).await.unwrap();
        let told = |lines: Vec<UsageLine>| -> Vec<(String, String, u64, String)> {
            lines.into_iter().map(|line| (line.day, line.model, line.entries, line.usage.cost_usd.to_string())).collect()
        };
        let first = ("2025-11-15".to_owned(), "a".to_owned(), 2, "0.3".to_owned());
        let second = ("2025-11-15".to_owned(), "b".to_owned(), 1, "1".to_owned());
        let third = ("2025-11-16".to_owned(), "a".to_owned(), 1, "5".to_owned());
        let all = bed.store.usage_lines(&bed.project, Span::default()).await.unwrap();
        assert_eq!(told(all), [first.clone(), second.clone(), third.clone()]);
        let midnight = Timestamp::of_day("2025-11-16");
        let before = Span { since: None, until: midnight };
        assert_eq!(told(bed.store.usage_lines(&bed.project, before).await.unwrap()), [first, second]);
        let after = Span { since: midnight, until: None };
        assert_eq!(told(bed.store.usage_lines(&bed.project, after).await.unwrap()), [third]);
    }
}
