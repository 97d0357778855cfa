//! The machine itself: its folders, its disk, its models, its programs.

use std::path::Path;
use std::process::Command;

use auris_domain::model::Capability;
use auris_engines::install::is_installed;

use super::Finding;
use crate::config::Config;
use crate::{data, engines};

/// The largest upload, several times over.
const LITTLE_DISK_KIB: u64 = 1 << 20;

pub(super) fn look(config: &Config) -> Vec<Finding> {
    let mut findings = vec![folder(config)];
    findings.extend(disk(&config.data));
    findings.push(models(config));
    findings.push(ffmpeg());
    findings
}

fn folder(config: &Config) -> Finding {
    let found = config.data.display().to_string();
    let written =
        data::make_folders(config).and_then(|()| Ok(tempfile::tempfile_in(&config.service.spool_dir)?));
    match written {
        Ok(_) => Finding::ok("data folder", found),
        Err(error) => Finding::failed(
            "data folder",
            &error,
            format!("let the user of the service write to `{found}`, or name another with --data DIR"),
        ),
    }
}

/// As `df` tells it; where there is no such program, nothing is said.
fn disk(folder: &Path) -> Option<Finding> {
    let output = Command::new("df").arg("-Pk").arg(folder).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let free: u64 = text.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()?;
    let found = format!("{:.1} GiB free", free as f64 / f64::from(1 << 20));
    Some(match free < LITTLE_DISK_KIB {
        true => Finding::warning("disk", found, "uploads are written here as they arrive; make room"),
        false => Finding::ok("disk", found),
    })
}

fn models(config: &Config) -> Finding {
    let catalog = match engines::catalog(config) {
        Ok(catalog) => catalog,
        Err(error) => return Finding::failed("models", &error, "correct the catalogue"),
    };
    let installed = catalog.models.iter().filter(|entry| !entry.files.is_empty());
    let installed = installed.filter(|entry| is_installed(&config.models.dir, entry));
    let names: Vec<&str> = installed.map(|entry| entry.model.id.as_str()).collect();
    let found = match names.is_empty() {
        true => format!("none installed in `{}`", config.models.dir.display()),
        false => format!("{} in `{}`", names.join(", "), config.models.dir.display()),
    };
    let can_hear = catalog
        .models
        .iter()
        .any(|entry| names.contains(&entry.model.id.as_str()) && entry.model.can(Capability::Transcription));
    match can_hear {
        true => Finding::ok("models", found),
        false => Finding::warning(
            "models",
            found,
            "no speech model is installed; `auris models pull ID` installs one (`auris models list` names them)",
        ),
    }
}

fn ffmpeg() -> Finding {
    match Command::new("ffmpeg").arg("-version").output() {
        Ok(output) if output.status.success() => Finding::ok("ffmpeg", "installed"),
        Ok(_) | Err(_) => Finding::warning(
            "ffmpeg",
            "not installed",
            "only AMR, WMA, GSM and Speex recordings need it; install it where you get such",
        ),
    }
}
