//! What the console adds to jobs: names, waveforms, follow-ups, and which analyses used a recording.

use auris_domain::artifact::ArtifactStatus;
use auris_domain::id::JobId;
use auris_domain::machine::Command;
use auris_domain::wire::JsonText;
use serde_json::json;

use super::builders::{fail, new_job, run_of};
use super::on_both_databases;
use super::test_store::{NOW, TestStore, args};
use auris_store::{Creation, FollowUp, FollowUpStatus, JobLinks, Keyed, NewJob};

const REQUEST: &str = r#"{"job_id":"x","processing":{"summary":{}}}"#;

impl TestStore {
    async fn linked_job(&self, links: JobLinks) -> JobId {
        let run = run_of(&self.project, &[&[]], NOW);
        let id = run.job.id.clone();
        let new = NewJob { links, ..new_job(run) };
        assert_eq!(self.store.create_job(new).await.unwrap(), Keyed::Done(Creation::Created));
        id
    }

    async fn followed_job(&self) -> JobId {
        self.linked_job(JobLinks { analysed: None, follow_up: Some(REQUEST.into()) }).await
    }

    async fn end_all_jobs(&self) {
        for claimed in self.claim("worker").await {
            self.complete(&claimed).await.unwrap();
        }
    }

    async fn due(&self) -> Vec<JobId> {
        self.store.due_follow_ups(10).await.unwrap().into_iter().map(|follow_up| follow_up.job).collect()
    }
}

on_both_databases! {
    async fn names_and_waveforms_are_replaced_and_deleted_with_the_content(test) {
        let (id, other) = (test.finished_job().await, test.finished_job().await);
        assert_eq!(test.store.speaker_names(&id).await.unwrap(), None);
        assert_eq!(test.store.peaks(&id).await.unwrap(), None);
        for text in ["first", "second \"\\ grün"] {
            let value = JsonText::of(&json!({"A": text}));
            assert!(test.store.set_speaker_names(&id, &value).await.unwrap());
            assert!(test.store.set_peaks(&id, &value).await.unwrap());
            assert_eq!(test.store.speaker_names(&id).await.unwrap(), Some(value.clone()));
            assert_eq!(test.store.peaks(&id).await.unwrap(), Some(value));
        }
        assert_eq!(test.store.speaker_names(&other).await.unwrap(), None);
        test.store.delete_content(&test.project, &id, NOW, ArtifactStatus::Deleted).await.unwrap();
        let late = JsonText::of(&json!({}));
        assert!(!test.store.set_speaker_names(&id, &late).await.unwrap(), "the content is deleted");
        assert!(!test.store.set_peaks(&id, &late).await.unwrap());
        assert_eq!(test.store.speaker_names(&id).await.unwrap(), None);
        assert_eq!(test.store.peaks(&id).await.unwrap(), None);
        assert!(!test.store.set_peaks(&JobId::generate(NOW), &late).await.unwrap(), "there is no such job");
    }

    async fn a_follow_up_is_due_when_its_job_has_ended(test) {
        let (id, cancelled) = (test.followed_job().await, test.followed_job().await);
        let plain = test.job(&[&[]]).await;
        let waiting = FollowUp {
            job: id.clone(),
            project: test.project.clone(),
            request: REQUEST.into(),
            status: FollowUpStatus::Waiting,
            error: None,
        };
        assert_eq!(test.store.follow_up(&id).await.unwrap(), Some(waiting.clone()));
        assert_eq!(test.store.follow_up(&plain).await.unwrap(), None);
        assert!(test.due().await.is_empty());
        test.apply(&cancelled, Command::Cancel).await.unwrap();
        assert_eq!(test.due().await, std::slice::from_ref(&cancelled));
        test.end_all_jobs().await;
        let mut both = vec![id.clone(), cancelled];
        both.sort();
        assert_eq!(test.due().await, both);
        assert_eq!(test.store.due_follow_ups(1).await.unwrap().len(), 1);
        assert!(test.store.due_follow_ups(10).await.unwrap().contains(&waiting));
    }

    async fn a_follow_up_is_due_when_its_job_has_failed(test) {
        let id = test.followed_job().await;
        let claimed = test.claim("worker").await.remove(0);
        test.apply(&id, fail(&claimed)).await.unwrap();
        assert_eq!(test.due().await, [id]);
    }

    async fn a_follow_up_ends_once_and_forgets_its_request(test) {
        let (submitted, failed) = (test.followed_job().await, test.followed_job().await);
        test.end_all_jobs().await;
        test.store.end_follow_up(&submitted, FollowUpStatus::Submitted, None).await.unwrap();
        test.store.end_follow_up(&failed, FollowUpStatus::Failed, Some("no money".into())).await.unwrap();
        // A slower node comes too late.
        test.store.end_follow_up(&submitted, FollowUpStatus::Failed, Some("late".into())).await.unwrap();
        assert!(test.due().await.is_empty());
        let read = async |id| {
            let follow_up = test.store.follow_up(id).await.unwrap().unwrap();
            (follow_up.status, follow_up.error, follow_up.request)
        };
        assert_eq!(read(&submitted).await, (FollowUpStatus::Submitted, None, String::new()));
        assert_eq!(read(&failed).await, (FollowUpStatus::Failed, Some("no money".into()), String::new()));
    }

    async fn a_follow_up_is_deleted_with_the_content(test) {
        let id = test.followed_job().await;
        test.end_all_jobs().await;
        test.store.delete_content(&test.project, &id, NOW, ArtifactStatus::Deleted).await.unwrap();
        assert_eq!(test.store.follow_up(&id).await.unwrap(), None);
        assert!(test.due().await.is_empty());
    }

    async fn the_analyses_of_a_recording_are_listed_until_they_are_purged(test) {
        let job = test.finished_job().await;
        let links = || JobLinks { analysed: Some(job.clone()), follow_up: None };
        let mut analyses = vec![test.linked_job(links()).await, test.linked_job(links()).await];
        analyses.sort();
        assert_eq!(test.store.analyses_of(&job).await.unwrap(), analyses);
        assert_eq!(test.store.analyses_of(&analyses[0]).await.unwrap(), Vec::<JobId>::new());
        test.end_all_jobs().await;
        test.store.delete_content(&test.project, &analyses[0], NOW, ArtifactStatus::Deleted).await.unwrap();
        assert_eq!(test.store.analyses_of(&job).await.unwrap(), analyses, "the record is still there");
        assert_eq!(test.store.purge_jobs(NOW.timestamp().plus_seconds(365 * 86_400), 10).await.unwrap(), 1);
        assert_eq!(test.store.analyses_of(&job).await.unwrap(), [analyses[1].clone()]);
        test.store.delete_content(&test.project, &job, NOW, ArtifactStatus::Deleted).await.unwrap();
        assert_eq!(test.store.purge_jobs(NOW.timestamp().plus_seconds(365 * 86_400), 10).await.unwrap(), 1);
        assert_eq!(test.number("SELECT COUNT(*) FROM analyses_of", args![]).await, 0);
    }

    async fn a_project_is_found_by_its_id(test) {
        let found = test.store.project(&test.project).await.unwrap().unwrap();
        assert_eq!(Some(found), test.store.project_by_name("test").await.unwrap());
        assert_eq!(test.store.project(&auris_domain::id::ProjectId::generate(NOW)).await.unwrap(), None);
    }
}
