//! What the overview shows of this process and of its storage.

use std::path::PathBuf;

use auris_domain::id::NodeId;
use auris_store::{BlobSettings, disk};
use serde::Serialize;

use super::super::Result;
use super::super::models::{ModelLibrary, ModelRecord};
use super::super::recent_errors::RecentErrors;
use super::super::this_node::ThisNode;
use crate::ServiceError;

/// Where the overview finds what is not in the database. Cheap to clone.
#[derive(Clone)]
pub struct OverviewSource {
    pub node: ThisNode,
    /// The folder whose disk space is shown.
    pub data_dir: PathBuf,
    pub blobs: BlobKind,
    pub errors: RecentErrors,
}

/// Where blobs are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BlobKind {
    Folder,
    Bucket,
}

impl From<&BlobSettings> for BlobKind {
    fn from(settings: &BlobSettings) -> Self {
        match settings {
            BlobSettings::Folder(_) => Self::Folder,
            BlobSettings::Bucket(_) => Self::Bucket,
        }
    }
}

/// A model in the memory of this node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LoadedModelRecord {
    pub id: String,
    pub memory_bytes: Option<u64>,
}

/// A model as the console lists it.
#[derive(Debug, Clone, Serialize)]
pub struct ConsoleModelRecord {
    #[serde(flatten)]
    pub model: ModelRecord,
    pub license: Option<String>,
    /// The models whose files it needs.
    pub uses: Vec<String>,
    /// Whether it is in the memory of this node.
    pub loaded: bool,
}

/// The file system of the data folder. `None` if the system does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DiskSpace {
    pub path_free_bytes: Option<u64>,
    pub path_total_bytes: Option<u64>,
}

impl OverviewSource {
    /// The id of this node.
    pub fn node(&self) -> &NodeId {
        &self.node.identity.id
    }

    /// Every model of the catalogue, with all its languages, its license, and whether it is loaded.
    pub fn models(&self, library: &ModelLibrary) -> Vec<ConsoleModelRecord> {
        let loaded = self.node.loaded_ids();
        let record = |model: ModelRecord| ConsoleModelRecord {
            license: library.license(&model.id),
            uses: library.used_models(&model.id),
            loaded: loaded.contains(&model.id),
            model: ModelRecord { languages: library.languages(&model.id), ..model },
        };
        library.list().into_iter().map(record).collect()
    }

    pub(super) fn loaded_models(&self) -> Vec<LoadedModelRecord> {
        let loaded = self.node.engines.loaded_models().into_iter();
        loaded.map(|model| LoadedModelRecord { id: model.id, memory_bytes: model.memory_bytes }).collect()
    }

    /// On a blocking thread: a network file system may take long to answer.
    pub(super) async fn disk_space(&self) -> Result<DiskSpace> {
        let folder = self.data_dir.clone();
        let space = tokio::task::spawn_blocking(move || DiskSpace {
            path_free_bytes: disk::free_bytes(&folder).ok(),
            path_total_bytes: disk::total_bytes(&folder).ok(),
        });
        Ok(space.await.map_err(ServiceError::internal)?)
    }
}
