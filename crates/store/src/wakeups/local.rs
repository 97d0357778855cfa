//! The waiters of this process.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use auris_domain::id::JobId;
use parking_lot::Mutex;
use tokio::sync::watch;

use super::shared_events::SharedRead;

/// What has changed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Topic {
    Job(JobId),
    Steps,
    Deliveries,
}

/// The waiters by topic. A job without a waiter has no entry.
pub(crate) struct Topics {
    jobs: Mutex<HashMap<JobId, Weak<JobTopic>>>,
    steps: watch::Sender<()>,
    deliveries: watch::Sender<()>,
}

/// What the waiters of one job share.
pub(crate) struct JobTopic {
    wakeups: watch::Sender<u64>,
    pub(crate) read: SharedRead,
    /// The number of the job's last event when it was last polled.
    polled: AtomicI64,
}

/// Waits for changes of one job, from its creation on.
pub struct JobWaiter {
    id: JobId,
    topics: Arc<Topics>,
    // Keeps the job's entry alive. `None` only while the waiter is dropped.
    topic: Option<Arc<JobTopic>>,
    receiver: watch::Receiver<u64>,
}

/// Waits for queued steps or for deliveries.
pub struct TopicWaiter {
    receiver: watch::Receiver<()>,
}

impl Topics {
    pub(crate) fn new() -> Self {
        Self { jobs: Mutex::default(), steps: watch::Sender::new(()), deliveries: watch::Sender::new(()) }
    }

    pub(crate) fn wake(&self, topic: &Topic) {
        match topic {
            Topic::Job(id) => {
                let topic = self.jobs.lock().get(id).and_then(Weak::upgrade);
                if let Some(topic) = topic {
                    topic.wakeups.send_modify(|count| *count += 1);
                }
            }
            Topic::Steps => self.steps.send_replace(()),
            Topic::Deliveries => self.deliveries.send_replace(()),
        }
    }

    /// Wakes every waiter: after a lost connection it is unknown which wake-ups were missed.
    pub(crate) fn wake_all(&self) {
        let jobs = self.waited_for().into_iter().map(Topic::Job);
        for topic in jobs.chain([Topic::Steps, Topic::Deliveries]) {
            self.wake(&topic);
        }
    }

    /// The waiter gets `topics`, an owner of `self`, to remove its entry when it is dropped.
    pub(super) fn subscribe(&self, topics: &Arc<Self>, id: &JobId) -> JobWaiter {
        let mut jobs = self.jobs.lock();
        let known = jobs.get(id).and_then(Weak::upgrade);
        let topic = known.unwrap_or_else(|| {
            let topic = Arc::new(JobTopic::new());
            jobs.insert(id.clone(), Arc::downgrade(&topic));
            topic
        });
        JobWaiter {
            id: id.clone(),
            topics: Arc::clone(topics),
            receiver: topic.wakeups.subscribe(),
            topic: Some(topic),
        }
    }

    pub(super) fn steps_waiter(&self) -> TopicWaiter {
        TopicWaiter { receiver: self.steps.subscribe() }
    }

    pub(super) fn deliveries_waiter(&self) -> TopicWaiter {
        TopicWaiter { receiver: self.deliveries.subscribe() }
    }

    /// The jobs that have a waiter.
    pub(super) fn waited_for(&self) -> Vec<JobId> {
        self.jobs.lock().keys().cloned().collect()
    }

    /// Wakes the job's waiters if its last event is not the one that the previous poll found.
    pub(super) fn polled(&self, id: &JobId, last_event: i64) {
        let topic = self.jobs.lock().get(id).and_then(Weak::upgrade);
        if topic.is_some_and(|topic| topic.polled.swap(last_event, Ordering::Relaxed) != last_event) {
            self.wake(&Topic::Job(id.clone()));
        }
    }
}

impl JobTopic {
    fn new() -> Self {
        Self { wakeups: watch::Sender::new(0), read: SharedRead::default(), polled: AtomicI64::new(-1) }
    }

    /// Whether the job has more than one waiter.
    pub(crate) fn is_shared(&self) -> bool {
        self.wakeups.receiver_count() > 1
    }
}

impl JobWaiter {
    /// Returns true when the job has changed since the last call (or since the subscription), false after `at_most`.
    pub async fn changed(&mut self, at_most: Duration) -> bool {
        wait(&mut self.receiver, at_most).await
    }

    pub(crate) fn job(&self) -> &JobId {
        &self.id
    }

    pub(crate) fn topic(&self) -> Option<&JobTopic> {
        self.topic.as_deref()
    }

    /// The number of wake-ups for the job so far.
    pub(crate) fn wakeups(&self) -> u64 {
        *self.receiver.borrow()
    }
}

impl TopicWaiter {
    /// Returns when there is something new since the last call, or after `at_most`.
    pub async fn changed(&mut self, at_most: Duration) {
        wait(&mut self.receiver, at_most).await;
    }
}

impl Drop for JobWaiter {
    fn drop(&mut self) {
        let mut jobs = self.topics.jobs.lock();
        drop(self.topic.take());
        if jobs.get(&self.id).is_some_and(|topic| topic.strong_count() == 0) {
            jobs.remove(&self.id);
        }
    }
}

async fn wait<T>(receiver: &mut watch::Receiver<T>, at_most: Duration) -> bool {
    // The caller polls after the timeout, which makes a missed wake-up harmless. A closed channel waits for it too.
    let woken = async {
        if receiver.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::time::timeout(at_most, woken).await.is_ok()
}

#[cfg(test)]
mod tests {
    use auris_domain::time::Millis;

    use super::*;

    #[test]
    fn a_job_without_waiters_has_no_entry() {
        let topics = Arc::new(Topics::new());
        let id = JobId::generate(Millis(0));
        let first = topics.subscribe(&topics, &id);
        let second = topics.subscribe(&topics, &id);
        assert_eq!(topics.waited_for().len(), 1);
        drop(first);
        assert_eq!(topics.waited_for().len(), 1);
        drop(second);
        assert!(topics.waited_for().is_empty());
    }
}
