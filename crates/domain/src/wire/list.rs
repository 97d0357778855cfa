//! Lists in the API.

use serde::Serialize;

use super::JsonText;
use super::artifact::ArtifactWire;
use super::endpoint::EndpointWire;
use super::job::JobWire;
use super::model::ModelWire;
use super::step::StepWire;
use crate::artifact::Artifact;
use crate::id::JobId;
use crate::job::Job;
use crate::json_text::json_bytes;
use crate::model::Model;
use crate::step::Step;
use crate::webhook::Endpoint;

/// A page of a list that can be continued.
#[derive(Serialize)]
struct Page<'a, T> {
    object: &'static str,
    data: Vec<T>,
    has_more: bool,
    last_id: Option<&'a str>,
}

/// A list that is always complete.
#[derive(Serialize)]
struct List<T> {
    object: &'static str,
    data: Vec<T>,
}

/// Jobs with the short form of their results, and whether there are more jobs.
pub fn job_list<'a>(
    jobs: impl Iterator<Item = (&'a Job, Option<&'a JsonText>)> + Clone,
    has_more: bool,
) -> JsonText {
    let last_id = jobs.clone().last().map(|(job, _)| job.id.as_str());
    let data = jobs.map(|(job, result)| JobWire::new(job, result)).collect();
    JsonText::of(&Page { object: "list", data, has_more, last_id })
}

/// A job beside the name of its project.
#[derive(Serialize)]
struct ProjectJob<'a> {
    #[serde(flatten)]
    job: JobWire<'a>,
    project: &'a str,
}

/// Jobs of several projects without their results, each with the name of its project; and whether there are more jobs.
pub fn job_list_of_projects<'a>(
    jobs: impl Iterator<Item = (&'a Job, &'a str)> + Clone,
    has_more: bool,
) -> JsonText {
    let last_id = jobs.clone().last().map(|(job, _)| job.id.as_str());
    let data = jobs.map(|(job, project)| ProjectJob { job: JobWire::new(job, None), project }).collect();
    JsonText::of(&Page { object: "list", data, has_more, last_id })
}

/// All steps of a job, each with its output and response, as JSON.
pub fn step_list<'a>(
    steps: impl Iterator<Item = (&'a Step, Option<&'a JsonText>, Option<&'a JsonText>)> + Clone,
) -> Vec<u8> {
    let last_id = steps.clone().last().map(|(step, ..)| step.id.as_str());
    let data = steps.map(|(step, output, response)| StepWire::new(step, output, response)).collect();
    json_bytes(&Page { object: "list", data, has_more: false, last_id })
}

/// Steps of several jobs without their outputs.
pub fn light_step_list(steps: &[Step]) -> JsonText {
    let last_id = steps.last().map(|step| step.id.as_str());
    let data = steps.iter().map(|step| StepWire::new(step, None, None)).collect();
    JsonText::of(&Page { object: "list", data, has_more: false, last_id })
}

/// A file beside the id of its job.
#[derive(Serialize)]
struct JobArtifact<'a> {
    #[serde(flatten)]
    artifact: ArtifactWire<'a>,
    job_id: &'a JobId,
}

/// Files of several jobs, each with the id of its job.
pub fn artifact_list_of_jobs(artifacts: &[Artifact]) -> JsonText {
    let beside_job =
        artifacts.iter().map(|file| JobArtifact { artifact: ArtifactWire::new(file), job_id: &file.job_id });
    JsonText::of(&List { object: "list", data: beside_job.collect() })
}

pub fn model_list(models: &[Model]) -> JsonText {
    JsonText::of(&List { object: "list", data: models.iter().map(ModelWire::new).collect() })
}

pub fn endpoint_list(endpoints: &[Endpoint]) -> JsonText {
    let data = endpoints.iter().map(|endpoint| EndpointWire::new(endpoint, None)).collect();
    JsonText::of(&List { object: "list", data })
}
