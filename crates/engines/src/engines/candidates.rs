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

    /// Keeps a measurement in this process and beside the models. Fails if their folder cannot be written; then it counts
    /// until the process ends.
    pub fn keep_measurement(&self, measurement: &Measurement) -> io::Result<()> {
        self.measured.lock().push(measurement.clone());
        self.figures().store(measurement)
    }

    /// The models that `auto` chooses from, with the speed that was measured on this kind of machine.
    pub(super) fn measured_candidates(&self, catalog: &Catalog, entry: &CatalogModel) -> Vec<Candidate> {
        let measurements = self.measurements();
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

    /// The stored measurements first: `auris models bench` may have replaced one of this process.
    fn measurements(&self) -> Vec<Measurement> {
        let mut all = self.figures().read();
        all.extend(self.measured.lock().iter().cloned());
        all
    }

    fn figures(&self) -> Figures {
        Figures::in_folder(&self.settings.models_dir)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use auris_domain::model::NativeUnit;

    use super::*;
    use crate::EngineSettings;

    /// Engines with `auto`, which can choose one installed model.
    fn engines(folder: &Path) -> Engines {
        let catalog = format!(
            "[[models]]\nid = \"auto\"\ndisplay_name = \"\"\nengine = \"auto\"\ncapabilities = []\n\
             candidates = [\"small\"]\n\
             [[models]]\nid = \"small\"\ndisplay_name = \"\"\nengine = \"whisper\"\ncapabilities = []\n\
             [[models.files]]\nname = \"net.bin\"\nsha256 = \"{}\"\nbytes = 1\n",
            "0".repeat(64)
        );
        fs::create_dir(folder.join("small")).unwrap();
        fs::write(folder.join("small/net.bin"), "x").unwrap();
        let settings = EngineSettings { models_dir: folder.to_owned(), max_audio_seconds: 1.0 };
        Engines::new(Catalog::parse(&catalog).unwrap(), settings)
    }

    fn measurement(units: f64) -> Measurement {
        Measurement {
            model: "small".into(),
            version: "0".repeat(64),
            machine: Machine::this(),
            threads: 1,
            unit: NativeUnit::AudioSecond,
            units,
            seconds: 1.0,
            cpu_seconds: 1.0,
            load_milliseconds: None,
            memory_bytes: None,
        }
    }

    fn speeds(engines: &Engines) -> Vec<Option<f64>> {
        let catalog = engines.catalog();
        let auto = catalog.find("auto").unwrap();
        engines.measured_candidates(&catalog, auto).into_iter().map(|one| one.speed).collect()
    }

    #[test]
    fn a_speed_that_cannot_be_stored_counts_until_the_process_ends() {
        let folder = tempfile::tempdir().unwrap();
        // Not a read-only folder: the superuser may write to it.
        fs::create_dir(folder.path().join("bench.json")).unwrap();
        let engines = engines(folder.path());
        assert_eq!((engines.unmeasured_candidates(), speeds(&engines)), (vec!["small".into()], vec![None]));
        assert!(engines.keep_measurement(&measurement(7.0)).is_err());
        assert_eq!((engines.unmeasured_candidates(), speeds(&engines)), (vec![], vec![Some(7.0)]));
    }

    #[test]
    fn a_later_measurement_of_another_process_counts() {
        let folder = tempfile::tempdir().unwrap();
        let engines = engines(folder.path());
        engines.keep_measurement(&measurement(7.0)).unwrap();
        Figures::in_folder(folder.path()).store(&measurement(9.0)).unwrap();
        assert_eq!(speeds(&engines), [Some(9.0)]);
    }
}
