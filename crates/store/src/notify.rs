//! Wake-ups: who waits for a job, for queued steps or for deliveries hears of them. A missed one only delays, for everybody polls too.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use auris_domain::id::JobId;
use tokio::sync::watch;

use crate::db::DatabaseSettings;
use crate::error::StoreError;
use crate::listen::Nodes;
use crate::shared_read::SharedRead;

/// What something happened to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Topic {
    Job(JobId),
    Steps,
    Deliveries,
}

/// Where waiters are told of changes, in this process and, on PostgreSQL, from the others.
pub struct Notify {
    topics: Arc<Topics>,
    nodes: Option<Nodes>,
}

/// The waiters of this process. A job without a waiter has no entry.
pub(crate) struct Topics {
    jobs: Mutex<HashMap<JobId, Weak<JobTopic>>>,
    steps: watch::Sender<()>,
    deliveries: watch::Sender<()>,
}

/// What those who wait for one job share.
pub(crate) struct JobTopic {
    /// Counts the wake-ups.
    told: watch::Sender<u64>,
    /// What was last read for them.
    pub(crate) read: SharedRead,
    /// The number of the job's last event, as the poll saw it.
    polled: AtomicI64,
}

/// Waits for changes of one job, from the moment it was made.
pub struct JobWaiter {
    id: JobId,
    topics: Arc<Topics>,
    // Held so that the entry lives as long as someone waits.
    topic: Option<Arc<JobTopic>>,
    receiver: watch::Receiver<u64>,
}

/// Waits for queued steps or for deliveries.
pub struct TopicWaiter {
    receiver: watch::Receiver<()>,
}

impl Notify {
    pub(crate) fn in_process() -> Self {
        Self { topics: Arc::new(Topics::new()), nodes: None }
    }

    pub(crate) fn between_nodes(settings: &DatabaseSettings) -> Result<Self, StoreError> {
        let topics = Arc::new(Topics::new());
        let nodes = Nodes::start(settings, Arc::clone(&topics))?;
        Ok(Self { topics, nodes: Some(nodes) })
    }

    /// Subscribe first, then read: what changes after the call is heard.
    pub fn subscribe_job(&self, id: &JobId) -> JobWaiter {
        self.topics.subscribe(&self.topics, id)
    }

    pub fn steps_waiter(&self) -> TopicWaiter {
        TopicWaiter { receiver: self.topics.steps.subscribe() }
    }

    pub fn deliveries_waiter(&self) -> TopicWaiter {
        TopicWaiter { receiver: self.topics.deliveries.subscribe() }
    }

    /// Tells everybody; called after the commit.
    pub(crate) fn wake(&self, topics: impl IntoIterator<Item = Topic>) {
        for topic in topics {
            self.topics.wake(&topic);
            if let Some(nodes) = &self.nodes {
                nodes.tell(topic);
            }
        }
    }

    pub(crate) fn topics(&self) -> &Topics {
        &self.topics
    }

    pub(crate) async fn close(&self) {
        if let Some(nodes) = &self.nodes {
            nodes.close().await;
        }
    }

    #[cfg(test)]
    pub(crate) fn jobs_listened_to(&self) -> usize {
        self.topics.jobs().len()
    }

    #[cfg(test)]
    pub(crate) async fn listening(&self) {
        if let Some(nodes) = &self.nodes {
            nodes.listening().await;
        }
    }
}

impl Topics {
    fn new() -> Self {
        Self { jobs: Mutex::default(), steps: watch::Sender::new(()), deliveries: watch::Sender::new(()) }
    }

    pub(crate) fn wake(&self, topic: &Topic) {
        match topic {
            Topic::Job(id) => {
                let topic = self.jobs().get(id).and_then(Weak::upgrade);
                if let Some(topic) = topic {
                    topic.told.send_modify(|count| *count += 1);
                }
            }
            Topic::Steps => self.steps.send_replace(()),
            Topic::Deliveries => self.deliveries.send_replace(()),
        }
    }

    /// After a lost connection nobody knows what was missed: everybody looks.
    pub(crate) fn wake_all(&self) {
        let jobs: Vec<JobId> = self.jobs().keys().cloned().collect();
        let jobs = jobs.into_iter().map(Topic::Job);
        for topic in jobs.chain([Topic::Steps, Topic::Deliveries]) {
            self.wake(&topic);
        }
    }

    fn subscribe(&self, topics: &Arc<Self>, id: &JobId) -> JobWaiter {
        let mut jobs = self.jobs();
        let known = jobs.get(id).and_then(Weak::upgrade);
        let topic = known.unwrap_or_else(|| {
            let topic = Arc::new(JobTopic::new());
            jobs.insert(id.clone(), Arc::downgrade(&topic));
            topic
        });
        JobWaiter {
            id: id.clone(),
            topics: Arc::clone(topics),
            receiver: topic.told.subscribe(),
            topic: Some(topic),
        }
    }

    /// The jobs that somebody waits for.
    pub(crate) fn listened_to(&self) -> Vec<JobId> {
        self.jobs().keys().cloned().collect()
    }

    /// Wakes those who wait for the job if its last event is another than the poll saw before.
    pub(crate) fn polled(&self, id: &JobId, last_event: i64) {
        let topic = self.jobs().get(id).and_then(Weak::upgrade);
        if topic.is_some_and(|topic| topic.polled.swap(last_event, Ordering::Relaxed) != last_event) {
            self.wake(&Topic::Job(id.clone()));
        }
    }

    fn jobs(&self) -> MutexGuard<'_, HashMap<JobId, Weak<JobTopic>>> {
        // The map is whole after every statement, so a panic elsewhere leaves nothing half done.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl JobTopic {
    fn new() -> Self {
        Self { told: watch::Sender::new(0), read: SharedRead::default(), polled: AtomicI64::new(-1) }
    }

    /// Whether more than one waits.
    pub(crate) fn is_shared(&self) -> bool {
        self.told.receiver_count() > 1
    }
}

impl JobWaiter {
    /// Returns true when the job changed since the last call (or since the subscription), false when the time is up.
    pub async fn changed(&mut self, at_most: Duration) -> bool {
        wait(&mut self.receiver, at_most).await
    }

    pub(crate) fn job(&self) -> &JobId {
        &self.id
    }

    pub(crate) fn topic(&self) -> Option<&JobTopic> {
        self.topic.as_deref()
    }

    /// How often those who wait for the job have been told so far.
    pub(crate) fn told(&self) -> u64 {
        *self.receiver.borrow()
    }
}

impl TopicWaiter {
    /// Returns when there is something new since the last call, or when the time is up.
    pub async fn changed(&mut self, at_most: Duration) {
        wait(&mut self.receiver, at_most).await;
    }
}

impl Drop for JobWaiter {
    fn drop(&mut self) {
        let mut jobs = self.topics.jobs();
        drop(self.topic.take());
        if jobs.get(&self.id).is_some_and(|topic| topic.strong_count() == 0) {
            jobs.remove(&self.id);
        }
    }
}

async fn wait<T>(receiver: &mut watch::Receiver<T>, at_most: Duration) -> bool {
    // A timeout is the polling that makes a missed notice harmless; a closed channel waits it out too.
    let told = async {
        if receiver.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::time::timeout(at_most, told).await.is_ok()
}
