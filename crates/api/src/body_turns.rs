//! Large JSON bodies take turns while they are parsed: a few at once, and of each project only one. The largest bodies
//! have a separate lane, so that nobody else waits for them.

use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use auris_domain::error::{ApiError, Checked, ErrorCode};
use auris_domain::id::ProjectId;
use auris_service::ProjectSlots;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

/// Bodies up to this size need no turn. Parsing 8 MiB of small values takes about half a second, and several such bodies at
/// once would slow down everybody else.
const SMALL_BYTES: usize = 1 << 20;
/// Bodies up to this size never wait for larger ones. It is far more than a transcript of a day needs.
const MEDIUM_BYTES: usize = 16 << 20;
/// How long a body waits for its turn. Its client waits too, and its memory is reserved.
const WAIT: Duration = Duration::from_secs(30);

/// The turns of this process. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct BodyTurns {
    medium: Lane,
    large: Lane,
}

/// The right to parse one body.
#[derive(Debug)]
pub(crate) struct BodyTurn {
    _of_project: OwnedSemaphorePermit,
    _of_lane: OwnedSemaphorePermit,
}

impl Default for BodyTurns {
    /// In each lane, half as many bodies are parsed at once as there are processors.
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        Self::with_slots(processors.div_ceil(2))
    }
}

impl BodyTurns {
    /// With this number of bodies at once in each lane.
    pub(crate) fn with_slots(slots: usize) -> Self {
        Self { medium: Lane::new(slots), large: Lane::new(slots) }
    }

    /// The turns of one project's bodies.
    pub(crate) fn of_project<'a>(&'a self, project: &'a ProjectId) -> ProjectTurns<'a> {
        ProjectTurns { turns: self, project }
    }
}

/// The turns of one project's bodies.
#[derive(Clone, Copy)]
pub(crate) struct ProjectTurns<'a> {
    turns: &'a BodyTurns,
    project: &'a ProjectId,
}

impl ProjectTurns<'_> {
    /// Waits for the turn of a body. `None` if it needs none. Fails if it waits too long.
    pub(crate) async fn of_body(self, bytes: usize) -> Checked<Option<BodyTurn>> {
        if bytes <= SMALL_BYTES {
            return Ok(None);
        }
        let lane = if bytes <= MEDIUM_BYTES { &self.turns.medium } else { &self.turns.large };
        match tokio::time::timeout(WAIT, lane.turn(self.project)).await {
            Ok(Ok(turn)) => Ok(Some(turn)),
            Ok(Err(_)) | Err(_) => Err(overloaded()),
        }
    }
}

#[derive(Debug, Clone)]
struct Lane {
    slots: Arc<Semaphore>,
    /// A body waits for the slot of its project first, so that each project has at most one body in the queue.
    projects: ProjectSlots,
}

impl Lane {
    fn new(slots: usize) -> Self {
        Self { slots: Arc::new(Semaphore::new(slots)), projects: ProjectSlots::default() }
    }

    async fn turn(&self, project: &ProjectId) -> Result<BodyTurn, AcquireError> {
        let of_project = self.projects.acquire(project).await?;
        let of_lane = Arc::clone(&self.slots).acquire_owned().await?;
        Ok(BodyTurn { _of_project: of_project, _of_lane: of_lane })
    }
}

fn overloaded() -> ApiError {
    let message = "The service is parsing too many large requests; try again in a few seconds.";
    ApiError::new(ErrorCode::EngineOverloaded, message).retry_after(5)
}

#[cfg(test)]
mod tests {
    use auris_domain::time::Millis;
    use futures::FutureExt;

    use super::*;

    fn project() -> ProjectId {
        ProjectId::generate(Millis(0))
    }

    #[tokio::test(start_paused = true)]
    async fn a_project_that_fills_a_lane_delays_others_by_one_body() {
        let turns = BodyTurns::with_slots(1);
        let (hostile, honest) = (project(), project());
        let first = turns.of_project(&hostile).of_body(2 << 20).await.unwrap();
        let mut waiting: Vec<_> =
            (0..3).map(|_| Box::pin(turns.of_project(&hostile).of_body(MEDIUM_BYTES))).collect();
        let mut next = Box::pin(turns.of_project(&honest).of_body(2 << 20));
        for body in &mut waiting {
            assert!(body.now_or_never().is_none());
        }
        assert!((&mut next).now_or_never().is_none());
        drop(first);
        // The project's second body has the project's slot now, and is behind the other project's body.
        assert!((&mut waiting[0]).now_or_never().is_none());
        let turn = next.now_or_never().unwrap().unwrap();
        assert!((&mut waiting[0]).now_or_never().is_none());
        drop(turn);
        assert!(waiting.remove(0).await.unwrap().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_for_larger_bodies() {
        let turns = BodyTurns::with_slots(1);
        let _large = turns.of_project(&project()).of_body(256 << 20).await.unwrap().unwrap();
        let _medium = turns.of_project(&project()).of_body(MEDIUM_BYTES).await.unwrap().unwrap();
        assert!(turns.of_project(&project()).of_body(SMALL_BYTES).await.unwrap().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_waits_too_long_is_refused_and_leaves_the_queue() {
        let turns = BodyTurns::with_slots(1);
        let held = turns.of_project(&project()).of_body(2 << 20).await.unwrap();
        let error = turns.of_project(&project()).of_body(2 << 20).await.unwrap_err();
        assert_eq!((error.code, error.retry_after), (ErrorCode::EngineOverloaded, Some(5)));
        drop(held);
        assert!(turns.of_project(&project()).of_body(2 << 20).now_or_never().unwrap().is_ok());
    }
}
