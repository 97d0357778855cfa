//! Tests of the help texts.

use clap::{CommandFactory, Parser};

use super::Cli;

/// Commands that only contain other commands.
const GROUPS: [&str; 4] = ["keys", "models", "projects", "webhooks"];

#[test]
fn the_help_of_every_group_has_examples_that_can_be_run() {
    let mut cli = Cli::command();
    for group in GROUPS {
        let command = cli.find_subcommand_mut(group).unwrap();
        let help = command.render_help().to_string();
        let (_, examples) = help.split_once("Examples:\n").unwrap_or_else(|| panic!("{group}: {help}"));
        let examples: Vec<&str> = examples.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        assert!(examples.len() >= 2, "{group}: {examples:?}");
        for example in examples {
            assert!(example.starts_with(&format!("auris {group} ")), "{example}");
            if let Err(error) = Cli::try_parse_from(example.split_whitespace()) {
                panic!("{example}: {error}");
            }
        }
    }
}

#[test]
fn every_command_for_models_has_an_example_that_can_be_run() {
    let cli = Cli::command();
    for command in cli.find_subcommand("models").unwrap().get_subcommands() {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let beginning = format!("auris models {} ", command.get_name());
        let examples: Vec<&str> =
            help.lines().map(str::trim).filter(|line| line.starts_with("auris ")).collect();
        assert!(!examples.is_empty(), "{beginning}");
        for example in examples {
            assert!(format!("{example} ").starts_with(&beginning), "{example}");
            if let Err(error) = Cli::try_parse_from(example.split_whitespace()) {
                panic!("{example}: {error}");
            }
        }
    }
}

#[test]
fn the_examples_of_operator_can_be_run() {
    let cli = Cli::command();
    for group in cli.find_subcommand("operator").unwrap().get_subcommands() {
        let help = group.get_after_help().unwrap().to_string();
        let examples = help.lines().map(str::trim).filter(|line| line.starts_with("auris "));
        let parsed =
            examples.map(|example| Cli::try_parse_from(example.split_whitespace()).map(drop).unwrap());
        assert!(parsed.count() >= 2, "{}", group.get_name());
    }
}

#[test]
fn the_examples_of_evaluate_can_be_run() {
    let cli = Cli::command();
    let help = cli.find_subcommand("evaluate").unwrap().get_after_help().unwrap().to_string();
    let examples = help.lines().map(str::trim).filter(|line| line.starts_with("auris "));
    let parsed = examples.map(|example| {
        let (words, _) = example.split_once(" > ").unwrap_or((example, ""));
        Cli::try_parse_from(words.split_whitespace()).unwrap_or_else(|error| panic!("{example}: {error}"))
    });
    assert!(parsed.count() >= 3);
}

#[test]
fn the_help_lists_the_values_of_arguments_that_are_enums_of_other_crates() {
    for (path, argument, names) in [
        ("analyze", "summary", "brief, bullets, detailed"),
        ("analyze", "sentiment", "document, utterance"),
        ("keys create", "scopes", "read, write"),
        ("projects usage", "by", "day, model, project"),
        ("webhooks deliveries", "status", "pending, delivered, failed"),
    ] {
        let cli = Cli::command();
        let command = path.split(' ').fold(&cli, |command, name| command.find_subcommand(name).unwrap());
        let argument = command.get_arguments().find(|one| one.get_id() == argument).unwrap();
        let values = argument.get_possible_values();
        let listed: Vec<&str> = values.iter().map(|value| value.get_name()).collect();
        assert_eq!(listed.join(", "), names, "{path}");
    }
}
