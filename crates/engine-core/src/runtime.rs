//! What all models of this process share.

use std::path::PathBuf;
use std::sync::Arc;

use crate::{LoadedModels, Scheduler};

/// Where model files are stored, the models in memory, and the threads that compute. Cheap to clone.
#[derive(Clone)]
pub struct Runtime {
    pub models_dir: PathBuf,
    pub loaded: Arc<LoadedModels>,
    pub scheduler: Arc<Scheduler>,
}
