//! Every command in the documents is accepted by the command line.

use std::fs;
use std::path::Path;

use clap::Parser;
use clap::error::ErrorKind;

use super::Cli;

/// A document, and the commands in it.
struct Document {
    name: String,
    commands: Vec<String>,
}

#[test]
fn every_command_in_the_documents_can_be_run() {
    let mut mistakes = Vec::new();
    let mut count = 0;
    for document in documents() {
        for command in &document.commands {
            count += 1;
            if let Some(mistake) = mistake(command) {
                mistakes.push(format!("{}: `{command}`: {mistake}", document.name));
            }
        }
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
    assert!(count > 150, "only {count} commands were found");
}

fn documents() -> Vec<Document> {
    // Read at run time, not with `env!`: a build folder can be used for checkouts in different places.
    let package = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it for every test");
    let repository = Path::new(&package).join("../..");
    let folders = [repository.clone(), repository.join("docs")];
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path());
    let documents = paths.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    documents.map(|path| Document::read(&path)).collect()
}

impl Document {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        // The parts of a text between the fences of its code blocks are prose and code in turn.
        let parts = text.split("```").enumerate();
        let commands =
            parts.flat_map(|(index, part)| if index % 2 == 0 { in_prose(part) } else { in_code(part) });
        Self { name: path.file_name().unwrap().to_string_lossy().into_owned(), commands: commands.collect() }
    }
}

/// The commands between single backticks. `auris keys create|list` names two.
fn in_prose(text: &str) -> Vec<String> {
    let spans = text.split('`').skip(1).step_by(2);
    let commands = spans.map(|span| span.split_whitespace().collect::<Vec<_>>().join(" "));
    commands
        .filter(|command| command.starts_with("auris "))
        .flat_map(|command| alternatives(&command))
        .collect()
}

fn alternatives(command: &str) -> Vec<String> {
    let Some((beginning, last)) = command.rsplit_once(' ') else { return vec![command.to_owned()] };
    last.split('|').map(|one| format!("{beginning} {one}")).collect()
}

/// The commands of a shell block: at the start of a line, after settings or a pipe, or inside `$( )`.
fn in_code(block: &str) -> Vec<String> {
    let block = block.replace("\\\n", " ");
    let lines = block.lines().filter_map(|line| line.split(" #").next());
    let commands = lines.filter_map(command_of_line);
    commands
        .filter_map(|command| command.split([')', '>', '|']).next())
        .map(|one| one.trim().to_owned())
        .collect()
}

fn command_of_line(line: &str) -> Option<&str> {
    let mut places = line.match_indices("auris ").map(|(place, _)| line.split_at(place));
    let (_, command) = places.find(|(before, _)| before.is_empty() || before.ends_with([' ', '(']))?;
    Some(command)
}

/// Why a command is not accepted; `None` if it is, or if only its arguments are left out.
fn mistake(command: &str) -> Option<String> {
    let error = Cli::try_parse_from(words(command)).err()?;
    let is_shortened = matches!(
        error.kind(),
        ErrorKind::MissingRequiredArgument
            | ErrorKind::MissingSubcommand
            | ErrorKind::DisplayHelp
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
            | ErrorKind::DisplayVersion
    );
    (!is_shortened).then(|| error.to_string())
}

/// The words of a command; double quotes keep several together.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for letter in command.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            other => words.last_mut().unwrap().push(other),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
