//! The measured speed of models: `bench.json` in the folder of the models.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use auris_models::CatalogModel;
use auris_models::install::file_names;

use super::measurement::{Machine, Measurement};

/// The file with the measurements. Several machines can share it.
pub struct Figures {
    path: PathBuf,
}

impl Figures {
    /// The measurements beside the models of a folder.
    pub fn in_folder(models_dir: &Path) -> Self {
        Self { path: models_dir.join(file_names::BENCH) }
    }

    /// All measurements. None if the file is missing or unreadable: they can be made again.
    pub fn read(&self) -> Vec<Measurement> {
        let text = fs::read(&self.path).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Adds a measurement, and drops the one before of the same model and kind of machine. Fails if the folder cannot be
    /// written.
    pub fn store(&self, measurement: &Measurement) -> io::Result<()> {
        let _lock = self.lock()?;
        let mut all = self.read();
        let is_same = |other: &Measurement| {
            (&other.model, &other.machine) == (&measurement.model, &measurement.machine)
        };
        all.retain(|other| !is_same(other));
        all.push(measurement.clone());
        let new = self.path.with_file_name(format!(".{}.new", file_names::BENCH));
        let mut file = File::create(&new)?;
        file.write_all(&serde_json::to_vec_pretty(&all)?)?;
        file.sync_all()?;
        fs::rename(&new, &self.path)
    }

    /// Lets one process at a time change the file, so that no measurement is lost.
    fn lock(&self) -> io::Result<File> {
        let lock = File::create(self.path.with_file_name(format!(".{}.lock", file_names::BENCH)))?;
        lock.lock()?;
        Ok(lock)
    }
}

/// The measurement of these files of a model on this kind of machine.
pub fn find<'a>(all: &'a [Measurement], entry: &CatalogModel, machine: &Machine) -> Option<&'a Measurement> {
    let version = entry.files.first().map_or("", |file| file.sha256.as_str());
    let is_current =
        |one: &&Measurement| one.model == entry.model.id && one.version == version && &one.machine == machine;
    all.iter().find(is_current)
}

#[cfg(test)]
mod tests {
    use auris_domain::model::NativeUnit;
    use auris_models::Catalog;

    use super::*;

    fn measurement(kernels: &str, seconds: f64) -> Measurement {
        Measurement {
            model: "m".into(),
            version: "0".repeat(64),
            machine: Machine { cpu: "CPU".into(), kernels: kernels.into() },
            threads: 2,
            unit: NativeUnit::AudioSecond,
            units: 110.0,
            seconds,
            cpu_seconds: 4.0,
            load_milliseconds: Some(7),
            memory_bytes: None,
        }
    }

    fn model(sha256: &str) -> CatalogModel {
        let text = format!(
            "[[models]]\nid = \"m\"\ndisplay_name = \"M\"\nengine = \"whisper\"\ncapabilities = []\n\
             [[models.files]]\nname = \"net\"\nsha256 = \"{sha256}\"\nbytes = 1\n"
        );
        Catalog::parse(&text).unwrap().models.remove(0)
    }

    #[test]
    fn a_measurement_replaces_the_one_before_on_the_same_kind_of_machine() {
        let folder = tempfile::tempdir().unwrap();
        let figures = Figures::in_folder(folder.path());
        assert!(figures.read().is_empty());
        for one in [measurement("avx2", 4.0), measurement("amx", 2.0), measurement("avx2", 3.0)] {
            figures.store(&one).unwrap();
        }
        assert_eq!(figures.read(), [measurement("amx", 2.0), measurement("avx2", 3.0)]);
    }

    #[test]
    fn measurements_of_several_machines_at_the_same_time_are_all_kept() {
        let folder = tempfile::tempdir().unwrap();
        let store = |number: usize| {
            let figures = Figures::in_folder(folder.path());
            figures.store(&measurement(&format!("level {number}"), 2.0)).unwrap();
        };
        std::thread::scope(|scope| (0..8).for_each(|number| drop(scope.spawn(move || store(number)))));
        assert_eq!(Figures::in_folder(folder.path()).read().len(), 8);
    }

    #[test]
    fn a_figure_is_not_shown_for_other_files_or_another_machine() {
        let all = [measurement("avx2", 2.0)];
        let same = Machine { cpu: "CPU".into(), kernels: "avx2".into() };
        let found = find(&all, &model(&"0".repeat(64)), &same);
        assert_eq!(found.map(Measurement::units_per_second), Some(55.0));
        assert!(find(&all, &model(&"1".repeat(64)), &same).is_none());
        assert!(find(&all, &model(&"0".repeat(64)), &Machine { kernels: "amx".into(), ..same }).is_none());
    }

    #[test]
    fn an_unreadable_file_is_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("bench.json"), "{").unwrap();
        let figures = Figures::in_folder(folder.path());
        assert!(figures.read().is_empty());
        figures.store(&measurement("amx", 2.0)).unwrap();
        assert_eq!(figures.read().len(), 1);
    }
}
