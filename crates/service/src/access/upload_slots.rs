//! Limits concurrent uploads: those of each API key, and those of each project and of all together, because each is an
//! open file.

use std::sync::Arc;

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::ProjectId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::caller::CredentialId;
use super::key_slots::{KeySlot, KeySlots};
use crate::settings::UploadSettings;
use crate::{Caller, Service};

/// The upload slots of this process.
pub(crate) struct UploadSlots {
    settings: UploadSettings,
    keys: KeySlots,
    /// Half of the files, so that one project does not take all.
    projects: KeySlots<ProjectId>,
    files: Arc<Semaphore>,
    /// The number of files.
    maximum: usize,
}

/// One upload that is being received.
#[derive(Debug)]
pub struct UploadSlot {
    _key: KeySlot,
    file: FileSlot,
}

/// One of the files that uploads may have open.
#[derive(Debug)]
pub struct FileSlot {
    _project: KeySlot<ProjectId>,
    _permit: OwnedSemaphorePermit,
}

impl UploadSlots {
    /// At most `maximum` uploads of all keys together.
    pub(crate) fn new(settings: UploadSettings, maximum: usize) -> Self {
        let maximum = maximum.clamp(1, Semaphore::MAX_PERMITS);
        let keys = KeySlots::new("key", "uploads in progress", settings.concurrent);
        let half = u32::try_from(maximum.div_ceil(2)).unwrap_or(u32::MAX);
        let projects = KeySlots::new("project", "uploads in progress", half);
        Self { settings, keys, projects, files: Arc::new(Semaphore::new(maximum)), maximum }
    }

    /// Acquires the slots of the key and the project first, so that their further uploads do not wait for a file in front
    /// of those of others.
    async fn acquire(&self, key: &CredentialId, project: &ProjectId) -> Result<UploadSlot, ApiError> {
        let deadline = Instant::now() + self.settings.wait;
        let key = self.keys.acquire(key, self.settings.wait).await?;
        let left = deadline.duration_since(Instant::now());
        let project = self.projects.acquire(project, left).await?;
        let file = timeout_at(deadline, Arc::clone(&self.files).acquire_owned()).await;
        let permit = file.ok().and_then(Result::ok).ok_or_else(|| self.too_many())?;
        Ok(UploadSlot { _key: key, file: FileSlot { _project: project, _permit: permit } })
    }

    fn too_many(&self) -> ApiError {
        let maximum = self.maximum;
        let message =
            format!("The service already has {maximum} uploads, the maximum; try again in a few seconds.");
        ApiError::new(ErrorCode::ConcurrencyLimitExceeded, message).retry_after(5)
    }
}

impl UploadSlot {
    /// Ends the upload, whose file stays open.
    pub fn received(self) -> FileSlot {
        self.file
    }
}

impl Service {
    /// Waits until the caller may upload a file. Fails if that takes too long.
    pub async fn begin_upload(&self, caller: &Caller) -> Result<UploadSlot, ApiError> {
        self.upload_slots().acquire(&caller.counted(), caller.project_id()).await
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use auris_domain::id::KeyId;
    use auris_domain::time::Millis;
    use futures::FutureExt;

    use super::*;

    const WAIT: Duration = Duration::from_secs(60);

    fn slots(of_key: u32, maximum: usize) -> UploadSlots {
        UploadSlots::new(UploadSettings { concurrent: of_key, wait: WAIT }, maximum)
    }

    fn key() -> CredentialId {
        CredentialId::Key(KeyId::generate(Millis(0)))
    }

    fn project() -> ProjectId {
        ProjectId::generate(Millis(0))
    }

    /// Acquires a slot for a new project.
    async fn acquire(slots: &UploadSlots, key: &CredentialId) -> Result<UploadSlot, ApiError> {
        slots.acquire(key, &project()).await
    }

    #[tokio::test(start_paused = true)]
    async fn one_project_has_at_most_half_of_the_uploads_whatever_its_keys() {
        let (slots, one, other) = (slots(2, 4), project(), project());
        let _of_one =
            [slots.acquire(&key(), &one).await.unwrap(), slots.acquire(&key(), &one).await.unwrap()];
        let third = key();
        let mut waiting = Box::pin(slots.acquire(&third, &one));
        assert!(waiting.as_mut().now_or_never().is_none(), "two files are left, but not for this project");
        let _of_other =
            [key(), key()].map(|key| slots.acquire(&key, &other).now_or_never().unwrap().unwrap());
        let refused = waiting.await.unwrap_err();
        assert!(refused.message.contains("This project already has 2 uploads"), "{refused:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn the_uploads_of_all_keys_are_limited_together() {
        let slots = slots(2, 3);
        let (one, other) = (key(), key());
        let _of_one = [acquire(&slots, &one).await.unwrap(), acquire(&slots, &one).await.unwrap()];
        let of_other = acquire(&slots, &other).await.unwrap();
        let mut waiting = Box::pin(acquire(&slots, &other));
        assert!(waiting.as_mut().now_or_never().is_none(), "the key has a slot left, the process has none");
        drop(of_other);
        assert!(waiting.now_or_never().unwrap().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn an_upload_that_waited_too_long_for_the_others_is_refused() {
        let slots = slots(0, 1);
        let _first = acquire(&slots, &key()).await.unwrap();
        let started = Instant::now();
        let refused = acquire(&slots, &key()).await.unwrap_err();
        assert_eq!(started.elapsed(), WAIT);
        assert_eq!((refused.code, refused.retry_after), (ErrorCode::ConcurrencyLimitExceeded, Some(5)));
    }

    #[tokio::test(start_paused = true)]
    async fn both_waits_together_have_one_limit() {
        let slots = slots(1, 1);
        let (one, other) = (key(), key());
        let of_one = acquire(&slots, &one).await.unwrap();
        let started = Instant::now();
        let (refused, ()) = tokio::join!(acquire(&slots, &one), async {
            tokio::time::sleep(WAIT / 2).await;
            // The file stays open, and only the slot of the key is free again.
            let file = of_one.received();
            tokio::time::sleep(WAIT).await;
            drop(file);
        });
        assert!(refused.is_err() && acquire(&slots, &other).now_or_never().unwrap().is_ok());
        assert_eq!(started.elapsed(), WAIT * 3 / 2, "the refusal came in between");
    }

    #[tokio::test(start_paused = true)]
    async fn a_received_upload_counts_until_its_file_is_closed() {
        let slots = slots(1, 1);
        let key = key();
        let file = acquire(&slots, &key).await.unwrap().received();
        let mut next = Box::pin(acquire(&slots, &key));
        assert!(next.as_mut().now_or_never().is_none());
        drop(file);
        assert!(next.now_or_never().unwrap().is_ok());
    }
}
