//! `auris models verify`: whether the installed files are those of the catalogue.

use anyhow::bail;
use auris_service::operator::{ModelLibrary, ModelSource, PackedCopyState, VerifiedModel};

use super::super::{print, print_json};
use crate::progress_bar::Spinner;

/// Fails if a file is damaged, so that scripts can rely on the exit code.
pub(super) fn run(models: &ModelLibrary, as_json: bool) -> anyhow::Result<()> {
    let spinner = Spinner::new("reading the files of the models");
    let verified = models.verify();
    drop(spinner);
    if as_json {
        print_json(&verified)?;
    } else {
        for model in &verified {
            print(&format!("{}: {}", model.id, condition(model)))?;
        }
    }
    let failed: Vec<&VerifiedModel> = verified.iter().filter(|model| !model.ok).collect();
    if failed.is_empty() {
        return Ok(());
    }
    bail!("{} of {} models are damaged; {}", failed.len(), verified.len(), repair(&failed))
}

fn condition(model: &VerifiedModel) -> String {
    if !model.damaged.is_empty() {
        return format!("damaged {}", model.damaged.join(", "));
    }
    match model.packed_copy {
        PackedCopyState::Absent | PackedCopyState::Intact => "ok".to_owned(),
        PackedCopyState::Deleted => {
            "ok; its packed copy was damaged and was deleted; restart servers that use the model".to_owned()
        }
        PackedCopyState::Damaged => "its packed copy is damaged and cannot be deleted".to_owned(),
    }
}

/// What to do about the models that failed.
fn repair(failed: &[&VerifiedModel]) -> &'static str {
    let mut damaged = failed.iter().filter(|model| !model.damaged.is_empty()).peekable();
    if damaged.peek().is_none() {
        return "run `auris models verify` as a user who may write to `models.dir`";
    }
    match damaged.all(|model| model.source == ModelSource::Local) {
        true => "repair each with `auris models remove ID` and `auris models add FILE --id ID`",
        false => {
            "repair each with `auris models remove ID` and `auris models pull ID` (for your own models, `auris models add \
             FILE --id ID`)"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(damaged: &[&str], packed_copy: PackedCopyState, source: ModelSource) -> VerifiedModel {
        let damaged: Vec<String> = damaged.iter().map(|name| (*name).to_owned()).collect();
        let ok = damaged.is_empty() && packed_copy != PackedCopyState::Damaged;
        VerifiedModel { id: "m".into(), ok, damaged, packed_copy, source }
    }

    #[test]
    fn the_condition_names_the_damaged_files_and_the_packed_copy() {
        let of = |damaged: &[&str], copy| condition(&model(damaged, copy, ModelSource::Catalogue));
        assert_eq!(of(&[], PackedCopyState::Intact), "ok");
        assert_eq!(of(&["a.onnx", "b"], PackedCopyState::Absent), "damaged a.onnx, b");
        assert!(of(&[], PackedCopyState::Deleted).starts_with("ok; its packed copy"));
        assert!(of(&[], PackedCopyState::Damaged).contains("cannot be deleted"));
    }

    #[test]
    fn the_repair_depends_on_where_the_models_come_from() {
        let local = model(&["a"], PackedCopyState::Absent, ModelSource::Local);
        let catalogue = model(&["a"], PackedCopyState::Absent, ModelSource::Catalogue);
        let copy = model(&[], PackedCopyState::Damaged, ModelSource::Catalogue);
        assert!(!repair(&[&local]).contains("pull") && repair(&[&local]).contains("add FILE"));
        assert!(repair(&[&local, &catalogue]).contains("pull"));
        assert!(repair(&[&copy]).contains("`models.dir`"));
        assert!(!repair(&[&copy, &local]).contains("pull"));
    }
}
