//! Models: the catalogue, and the download and verification of their files.

pub mod catalog;
pub mod install;

pub use catalog::{Catalog, CatalogError, CatalogModel, EngineKind, ModelFile, RemoteModel};
pub use install::{InstallError, Installer, PullSink};
