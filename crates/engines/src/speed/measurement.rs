//! How fast a model is on a machine.

use std::fs;
use std::sync::LazyLock;

use auris_domain::model::NativeUnit;
use auris_kernels::level as kernel_level;
use serde::{Deserialize, Serialize};

/// The speed of one model on one kind of machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    pub model: String,
    /// The SHA-256 of the model's first file; empty if it has no files. Another file needs another measurement.
    pub version: String,
    pub machine: Machine,
    /// Threads that all models shared.
    pub threads: usize,
    /// What was counted: seconds of audio, or tokens of answers.
    pub unit: NativeUnit,
    pub units: f64,
    pub seconds: f64,
    pub cpu_seconds: f64,
    /// How long the model took to load; `None` if it is part of the program.
    pub load_milliseconds: Option<u64>,
    /// The most memory that the process occupied beyond what it had before; `None` if the system does not say.
    pub memory_bytes: Option<u64>,
}

impl Measurement {
    /// Seconds of audio, or tokens, per second.
    pub fn units_per_second(&self) -> f64 {
        self.units / self.seconds.max(f64::EPSILON)
    }

    /// Seconds of audio, or tokens, per second of one processor core.
    pub fn units_per_cpu_second(&self) -> f64 {
        self.units / self.cpu_seconds.max(f64::EPSILON)
    }

    /// The same per second of an idle machine, as far as a measurement on a busy one shows it: other work prolongs the time
    /// but not the work, and an idle machine has at least one core for it.
    pub fn idle_units_per_second(&self) -> f64 {
        self.units_per_second().max(self.units_per_cpu_second())
    }
}

/// What the speed of a model depends on, besides the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The name of the processor.
    pub cpu: String,
    /// The level of the compute kernels.
    pub kernels: String,
}

impl Machine {
    /// The machine that this process runs on.
    pub fn this() -> Self {
        THIS_MACHINE.clone()
    }
}

/// Read once: the file is long on a machine with many cores.
static THIS_MACHINE: LazyLock<Machine> = LazyLock::new(|| {
    let information = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    Machine { cpu: cpu_name(&information), kernels: kernel_level().name().to_owned() }
});

/// The name of the processor in the text of `/proc/cpuinfo`, or its architecture where there is none.
fn cpu_name(information: &str) -> String {
    let fields = information.lines().filter_map(|line| line.split_once(':'));
    let mut names = fields.filter(|(field, _)| field.trim() == "model name").map(|(_, name)| name.trim());
    names.next().filter(|name| !name.is_empty()).unwrap_or(std::env::consts::ARCH).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_machine_does_not_make_a_model_slow() {
        let measured = |seconds| Measurement {
            model: "m".into(),
            version: String::new(),
            machine: Machine::this(),
            threads: 2,
            unit: NativeUnit::AudioSecond,
            units: 40.0,
            seconds,
            cpu_seconds: 8.0,
            load_milliseconds: None,
            memory_bytes: None,
        };
        assert_eq!(measured(4.0).idle_units_per_second(), 10.0, "two idle cores");
        assert_eq!(measured(40.0).idle_units_per_second(), 5.0, "a fifth of a core");
    }

    #[test]
    fn a_processor_has_its_name_or_its_architecture() {
        let information =
            "processor\t: 0\nmodel name\t: Fast CPU @ 2.0GHz\n\nprocessor\t: 1\nmodel name\t: Other\n";
        assert_eq!(cpu_name(information), "Fast CPU @ 2.0GHz");
        assert_eq!(cpu_name("processor : 0\nFeatures : fp\n"), std::env::consts::ARCH);
    }
}
