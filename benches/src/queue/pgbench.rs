//! The bare statements of a job's life in `pgbench`, PostgreSQL's own load generator, written in C.

use std::fs;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail};

use crate::captured::Insert;
use crate::home::Home;
use crate::sql::Value;
use crate::sql_baseline::Recipe;

/// The job that this run of the script makes: the client's number and a count.
const OWN: &str = "lpad(CAST(:client_id AS TEXT), 4, '0') || lpad(CAST(:n AS TEXT), 16, '0')";

/// Jobs per second; `None` where there is no pgbench.
pub(crate) fn rate(
    home: &Home,
    recipe: &Recipe,
    workers: usize,
    time: Duration,
) -> anyhow::Result<Option<f64>> {
    let script = home.folder().join("cycle.pgbench");
    fs::write(&script, script_of(recipe))?;
    // Every run begins its count where no other has been.
    let first = auris_domain::time::Clock::System.now().0;
    let mut command = Command::new("pgbench");
    command.args(["--no-vacuum", "--protocol=prepared", "--jobs=2"]);
    command.arg(format!("--client={workers}")).arg(format!("--time={}", time.as_secs().max(1)));
    command
        .arg(format!("--define=n={}", first * 1000))
        .args(["--define=c_job_id=none", "--define=c_id=none"]);
    let output = match command.arg("--file").arg(&script).arg(&home.database.url).output() {
        Ok(output) => output,
        Err(_) => return Ok(None),
    };
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        bail!("pgbench: {}", String::from_utf8_lossy(&output.stderr));
    }
    let rate = text.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok());
    rate.map(Some).with_context(|| format!("pgbench tells no rate: {text}"))
}

fn script_of(recipe: &Recipe) -> String {
    let statements = &recipe.statements;
    let own = Ids {
        job: format!("('job_' || {OWN})"),
        step: format!("('stp_' || {OWN})"),
        body: format!("({OWN})"),
    };
    let claimed = Ids { job: ":c_job_id".into(), step: ":c_id".into(), body: "substr(:c_job_id, 5)".into() };
    let mut lines = vec!["\\set n :n + 1".to_owned(), "BEGIN;".into()];
    lines.extend(recipe.created.iter().map(|insert| own.insert(insert)));
    lines.extend(["COMMIT;".into(), format!("{};", statements.any_queued), "BEGIN;".into()]);
    lines.push(format!("{} \\aset c_", statements.candidates));
    let by_job = |statement: &str| render(statement, std::slice::from_ref(&claimed.job));
    lines.extend([by_job(&statements.job_of_run), by_job(&statements.steps_of)]);
    lines.extend(claimed.moved(recipe, false));
    lines.extend(recipe.started.iter().map(|insert| claimed.insert(insert)));
    lines.push("COMMIT;".into());
    lines.extend([by_job(&statements.job_of_run), by_job(&statements.steps_of), "BEGIN;".into()]);
    lines.extend(claimed.moved(recipe, true));
    lines.push(render(&statements.endpoints, &[literal(&recipe.job.value("project_id"))]));
    lines.extend(recipe.finished.iter().map(|insert| claimed.insert(insert)));
    lines.push("COMMIT;".into());
    // A statement of pgbench may have many lines, but what it stores stands behind the last of them.
    lines.iter().map(|line| line.replace('\n', " ")).collect::<Vec<_>>().join("\n") + "\n"
}

/// The names of a job and of what belongs to it, as expressions.
struct Ids {
    job: String,
    step: String,
    body: String,
}

impl Ids {
    fn insert(&self, insert: &Insert) -> String {
        let values: Vec<String> = insert.values().iter().map(|value| self.rename(value)).collect();
        format!("{} ON CONFLICT DO NOTHING;", render(insert.statement(), &values).trim_end_matches(';'))
    }

    fn moved(&self, recipe: &Recipe, ends: bool) -> [String; 2] {
        let ids = crate::captured::CopyIds { job: String::new(), step: String::new() };
        let with_job = |mut values: Vec<Value>| {
            let rest: Vec<String> = values.split_off(1).iter().map(literal).collect();
            [vec![self.job.clone()], rest].concat()
        };
        [
            render(&recipe.statements.move_job, &with_job(recipe.moved_job(&ids, ends))),
            render(&recipe.statements.move_step, &with_job(recipe.moved_step(&ids, ends))),
        ]
    }

    fn rename(&self, value: &Value) -> String {
        let Value::Text(Some(text)) = value else { return literal(value) };
        match (text.len(), text.get(..4)) {
            (24, Some("job_")) => self.job.clone(),
            (24, Some("stp_")) => self.step.clone(),
            (24, Some(prefix @ ("art_" | "evt_" | "led_"))) => format!("('{prefix}' || {})", self.body),
            _ => literal(value),
        }
    }
}

/// The statement with its values written out, the last place first, for `$1` begins `$10`.
fn render(statement: &str, values: &[String]) -> String {
    let mut text = statement.to_owned();
    for (index, value) in values.iter().enumerate().rev() {
        text = text.replace(&format!("${}", index + 1), value);
    }
    text + ";"
}

/// A colon begins a variable of pgbench, wherever it stands, and a dollar a place.
fn literal(value: &Value) -> String {
    match value {
        Value::Text(None) => "CAST(NULL AS TEXT)".into(),
        Value::Integer(None) => "CAST(NULL AS BIGINT)".into(),
        Value::Integer(Some(number)) => number.to_string(),
        Value::Text(Some(text)) => {
            let escaped = text.replace('\\', "\\\\").replace('\'', "\\'");
            format!("E'{}'", escaped.replace(':', "\\x3a").replace('$', "\\x24").replace('\n', "\\n"))
        }
    }
}
