//! A node with its own folder of models, and a catalogue with one model in a mirror.

use std::fs;
use std::sync::Arc;

use auris_domain::id::ModelTaskId;
use auris_domain::model_task::{ModelAction, TaskStatus};
use auris_engines::{Catalog, EngineSettings, Engines, Installer};
use auris_service::operator::{
    ModelTaskRecord, ModelTaskWorker, NodeIdentity, Operator, OperatorError, ThisNode,
};
use futures::StreamExt;
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::test_service::TestService;

/// The model of the catalogue, with one file.
pub(crate) const MODEL: &str = "m";
pub(crate) const BYTES: usize = 700_000;

pub(crate) struct TestNode {
    pub(crate) operator: Operator,
    pub(crate) node: ThisNode,
    stop: CancellationToken,
    pub(crate) folder: TempDir,
}

pub(crate) fn content() -> Vec<u8> {
    (0..BYTES as u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

fn sha256() -> String {
    hex::encode(Sha256::digest(content()))
}

fn catalog(sources: &[&str]) -> Catalog {
    let text = format!(
        "[[models]]\nid = \"{MODEL}\"\ndisplay_name = \"M\"\nengine = \"whisper\"\ncapabilities = []\nlicense = \"MIT\"\n\
         [[models.files]]\nname = \"net.bin\"\nsha256 = \"{}\"\nbytes = {BYTES}\nsources = {sources:?}\n",
        sha256()
    );
    Catalog::parse(&text).unwrap()
}

impl TestNode {
    /// A node that is alive. Its mirror is a folder that is empty until `fill_mirror`.
    pub(crate) async fn new(test: &TestService, sources: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let models_dir = folder.path().join("models");
        let mirror = folder.path().join("mirror");
        fs::create_dir(&mirror).unwrap();
        let settings = EngineSettings { models_dir: models_dir.clone(), max_audio_seconds: 1.0 };
        let node = ThisNode {
            identity: NodeIdentity::new("all", &test.clock),
            engines: Arc::new(Engines::new(catalog(sources), settings)),
            installer: Installer::new(models_dir, Some(mirror.display().to_string())),
        };
        let operator = Operator::new(test.store.clone(), test.clock.clone());
        operator.beat(&node).await.unwrap();
        Self { operator, node, stop: CancellationToken::new(), folder }
    }

    pub(crate) fn fill_mirror(&self) {
        fs::write(self.folder.path().join("mirror").join(sha256()), content()).unwrap();
    }

    /// Starts to run the tasks of this node.
    pub(crate) fn start(&self) -> JoinHandle<()> {
        tokio::spawn(ModelTaskWorker::new(self.operator.clone(), self.node.clone()).run(self.stop.clone()))
    }

    pub(crate) fn stop(&self) {
        self.stop.cancel();
    }

    pub(crate) async fn create(&self, action: ModelAction) -> Result<ModelTaskRecord, OperatorError> {
        let node = self.node.identity.id.clone();
        self.operator.create_model_task(&self.node.library(), MODEL, action, node).await
    }

    /// Creates a task and waits for its end.
    pub(crate) async fn run(&self, action: ModelAction) -> ModelTaskRecord {
        let task = self.create(action).await.unwrap();
        self.end_of(&task.id).await
    }

    pub(crate) async fn end_of(&self, id: &ModelTaskId) -> ModelTaskRecord {
        self.operator.watch_model_task(id.clone()).collect::<Vec<_>>().await.pop().unwrap()
    }

    /// Waits until the task runs and some of its bytes are recorded.
    pub(crate) async fn wait_for_progress(&self, id: &ModelTaskId) {
        let mut changes = self.operator.watch_model_task(id.clone());
        while let Some(task) = changes.next().await {
            if task.status == TaskStatus::Running && task.progress.done_bytes > 0 {
                return;
            }
        }
        panic!("the task ended");
    }
}
