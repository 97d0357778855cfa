//! The models that `auto` chooses from, and their speed on this machine.

use std::io;

use auris_models::{Catalog, CatalogModel, EngineKind};
use auris_speech::Candidate;

use super::Engines;
use crate::speed::{self, Figures, Machine, Measurement};

impl Engines {
    /// The installed models that `auto` could choose and whose speed on this kind of machine is not known.
    pub fn unmeasured_candidates(&self) -> Vec<String> {
        let catalog = self.catalog();
        let choosers = catalog.models.iter().filter(|entry| entry.engine == EngineKind::Auto);
        let candidates = choosers.flat_map(|entry| self.measured_candidates(&catalog, entry));
        let mut unknown: Vec<String> =
            candidates.filter(|one| one.speed.is_none()).map(|one| one.entry.model.id).collect();
        unknown.dedup();
        unknown
    }

    /// Keeps a measurement beside the models. Fails if their folder cannot be written.
    pub fn keep_measurement(&self, measurement: &Measurement) -> io::Result<()> {
        self.figures().store(measurement)
    }

    /// The models that `auto` chooses from, with the speed that was measured on this kind of machine.
    pub(super) fn measured_candidates(&self, catalog: &Catalog, entry: &CatalogModel) -> Vec<Candidate> {
        let measurements = self.figures().read();
        let machine = Machine::this();
        let with_speed = |entry: &CatalogModel| Candidate {
            entry: entry.clone(),
            speed: speed::find(&measurements, entry, &machine).map(Measurement::idle_units_per_second),
        };
        self.candidates(catalog, entry).map(with_speed).collect()
    }

    pub(super) fn candidates<'a>(
        &'a self,
        catalog: &'a Catalog,
        entry: &'a CatalogModel,
    ) -> impl Iterator<Item = &'a CatalogModel> {
        entry.candidates.iter().filter_map(|id| self.find(catalog, id))
    }

    fn figures(&self) -> Figures {
        Figures::in_folder(&self.settings.models_dir)
    }
}
