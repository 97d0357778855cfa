//! The sweeper: what it deletes, and when it must not.

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::Duration;

use auris_domain::id::{ArtifactId, JobId};
use auris_domain::time::Millis;
use auris_service::jobs::Sweeper;
use auris_service::operator::Operator;
use auris_store::Blobs;
use tokio::task::JoinHandle;

use crate::test_service::{NOW, TestService, TestSettings};
use crate::waiting::eventually;

const SECOND_MS: i64 = 1_000;
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// A service whose sweeper sweeps all the time.
async fn quick_sweeper() -> TestService {
    TestService::with(TestSettings { sweep: Duration::from_millis(2), ..TestSettings::default() }).await
}

impl TestService {
    fn blobs(&self) -> Blobs {
        Blobs::folder(&self.folder().join("blobs")).unwrap()
    }

    async fn claim_blobs(&self) {
        Operator::new(self.store.clone(), self.clock.clone()).claim_blobs(&self.blobs()).await.unwrap();
    }

    /// Stores a blob that was last written two hours ago, and returns its key.
    fn blob(&self, job: &JobId) -> String {
        let key = format!("{}/{job}/{}", self.project, ArtifactId::generate(self.clock.now()));
        let path = self.path(&key);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let written = self.clock.now().plus_ms(-2 * HOUR_MS).to_system_time();
        File::create(path).unwrap().set_modified(written).unwrap();
        key
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder().join("blobs").join(key)
    }

    fn is_remembered(&self, key: &str) -> bool {
        self.count(&format!("orphan_blobs WHERE blob_key = '{key}'")) == 1
    }

    fn start_sweeper(&self) -> JoinHandle<()> {
        let service = self.service.clone();
        let stop = self.stop.clone();
        tokio::spawn(async move { service.run_sweeper(stop).await })
    }

    /// Lets the clock run until the condition holds.
    async fn until(&self, condition: impl Fn() -> bool) {
        let check = async || {
            let holds = condition();
            if !holds {
                self.advance(SECOND_MS);
            }
            holds
        };
        eventually("the sweeper", check).await;
    }

    /// Sweeps once, a second later.
    async fn sweep(&self, sweeper: &mut Sweeper) {
        self.advance(SECOND_MS);
        self.service.sweep(sweeper).await.unwrap();
    }

    /// Stores the hold of a call.
    fn hold(&self, name: &str, until: Millis) {
        let (project, until) = (&self.project, until.0);
        self.sql(&format!(
            "INSERT INTO holds (request_id, project_id, amount_e10, lease_until_ms)
             VALUES ('{name}', '{project}', 0, {until})"
        ));
    }

    async fn end(&self, sweeper: JoinHandle<()>) {
        self.stop.cancel();
        sweeper.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_orphan_blob_is_deleted_a_week_after_it_was_first_found() {
    let test = quick_sweeper().await;
    test.claim_blobs().await;
    let job = JobId::generate(test.clock.now());
    let first = test.blob(&job);
    let sweeper = test.start_sweeper();
    test.until(|| test.is_remembered(&first)).await;
    test.advance(6 * DAY_MS);
    let second = test.blob(&job);
    test.until(|| test.is_remembered(&second)).await;
    assert!(test.path(&first).exists(), "only six days have passed");
    test.advance(DAY_MS);
    test.until(|| !test.path(&first).exists()).await;
    assert!(test.path(&second).exists());
    test.until(|| !test.is_remembered(&first)).await;
    test.end(sweeper).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blob_with_a_row_is_kept_and_that_of_deleted_content_is_removed_at_once() {
    let test = quick_sweeper().await;
    test.claim_blobs().await;
    let job = test.queue_job(None).await;
    let (kept, deleted, late) = (test.blob(&job), test.blob(&job), test.blob(&job));
    test.artifact_row(&job, &kept, "available");
    test.artifact_row(&job, &deleted, "deleted");
    fs::write(test.path("notes.txt"), "not a blob of this service").unwrap();
    let sweeper = test.start_sweeper();
    test.until(|| !test.path(&deleted).exists() && test.is_remembered(&late)).await;
    test.artifact_row(&job, &late, "available");
    test.until(|| !test.is_remembered(&late)).await;
    test.advance(8 * DAY_MS);
    let orphan = test.blob(&job);
    test.until(|| test.is_remembered(&orphan)).await;
    assert!(test.path(&kept).exists() && test.path(&late).exists() && test.path("notes.txt").exists());
    assert!(!test.is_remembered(&kept) && !test.is_remembered(&deleted));
    test.end(sweeper).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_deleted_from_the_blobs_of_another_installation() {
    let test = quick_sweeper().await;
    test.store.set_installation_once("this installation").await.unwrap();
    test.blobs().set_owner("another installation").await.unwrap();
    let job = test.job_ends(None).await;
    let (expired, orphan) = (test.blob(&job), test.blob(&job));
    test.artifact_row(&job, &expired, "available");
    let mut sweeper = test.service.sweeper();
    test.advance(2 * DAY_MS);
    test.sweep(&mut sweeper).await;
    assert!(test.path(&expired).exists() && test.path(&orphan).exists());
    assert_eq!(test.count("jobs WHERE result_deleted_at IS NULL"), 1);
    assert_eq!(test.count("chores WHERE done_ms IS NOT NULL"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_deleted_while_the_clock_cannot_be_trusted() {
    let test = quick_sweeper().await;
    test.claim_blobs().await;
    test.job_ends(None).await;
    let mut sweeper = test.service.sweeper();
    test.sweep(&mut sweeper).await;
    assert_eq!(test.count("chores WHERE name = 'sweep' AND done_ms IS NOT NULL"), 1);
    // The job expires after a day, and its record is kept for a second longer.
    test.clock.set_forward(40 * DAY_MS);
    test.sweep(&mut sweeper).await;
    assert_eq!(
        test.count("jobs WHERE result_deleted_at IS NULL"),
        1,
        "a clock that is suddenly ahead deletes nothing"
    );
    test.clock.advance(-40 * DAY_MS);
    test.sweep(&mut sweeper).await;
    assert_eq!(test.count("jobs WHERE result_deleted_at IS NULL"), 1);
    // As after a correction that was right, or a long suspension of the machine.
    test.clock.set_forward(40 * DAY_MS);
    test.sweep(&mut sweeper).await;
    test.advance(HOUR_MS);
    test.sweep(&mut sweeper).await;
    assert_eq!(test.count("jobs WHERE result_deleted_at IS NULL"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_hold_is_released_while_the_clock_cannot_be_trusted() {
    let test = quick_sweeper().await;
    test.claim_blobs().await;
    let mut sweeper = test.service.sweeper();
    test.sweep(&mut sweeper).await;
    test.hold("running", NOW.plus_ms(HOUR_MS));
    test.clock.set_forward(DAY_MS);
    for _ in 0..3 {
        test.sweep(&mut sweeper).await;
    }
    assert_eq!(test.count("holds"), 1, "its call may be running");
    test.advance(HOUR_MS);
    test.sweep(&mut sweeper).await;
    assert_eq!(test.count("holds"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_starts_long_after_the_last_sweep_waits_for_an_hour() {
    let test = quick_sweeper().await;
    test.claim_blobs().await;
    test.job_ends(None).await;
    let last_sweep = test.clock.now();
    test.store.record_task("sweep", last_sweep).await.unwrap();
    test.advance(40 * DAY_MS);
    let mut sweeper = test.service.sweeper();
    test.sweep(&mut sweeper).await;
    assert_eq!(
        test.count("jobs WHERE result_deleted_at IS NULL"),
        1,
        "the clock may be wrong since the start"
    );
    test.advance(HOUR_MS);
    test.sweep(&mut sweeper).await;
    assert_eq!(test.count("jobs WHERE result_deleted_at IS NULL"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_orphans_are_deleted_only_after_an_operator_has_confirmed_it() {
    const ORPHANS: usize = 101;
    let test = quick_sweeper().await;
    test.claim_blobs().await;
    let job = JobId::generate(test.clock.now());
    let orphans: Vec<String> = (0..ORPHANS).map(|_| test.blob(&job)).collect();
    let sweeper = test.start_sweeper();
    test.until(|| test.count("orphan_blobs") == ORPHANS as i64).await;
    test.advance(8 * DAY_MS);
    // Found by a search that comes after the due ones were kept.
    let late = test.blob(&job);
    test.until(|| test.is_remembered(&late)).await;
    let probe = test.blob(&job);
    test.until(|| test.is_remembered(&probe)).await;
    assert!(orphans.iter().all(|key| test.path(key).exists()), "a copy of the database finds as many");
    Operator::new(test.store.clone(), test.clock.clone()).confirm_orphans().await.unwrap();
    test.until(|| orphans.iter().all(|key| !test.path(key).exists())).await;
    assert!(test.path(&late).exists() && test.path(&probe).exists());
    test.end(sweeper).await;
}
