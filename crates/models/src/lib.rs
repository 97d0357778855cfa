//! Models: the catalogue, the local models beside it, and the download and verification of their files.

pub mod catalog;
pub mod install;
mod live_catalog;

pub use catalog::{BeamSearch, Catalog, CatalogError, CatalogModel, EngineKind, ModelFile, RemoteModel};
pub use install::{InstallError, Installer, LocalCatalog, PullSink};
pub use live_catalog::{LiveCatalog, Snapshot};
