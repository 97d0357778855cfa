//! The benchmark of the API runs from start to end. It records the statements of every operation on a job, as the
//! benchmark of the queue does.

use std::process::Command;

#[test]
fn the_benchmark_of_the_api_measures_every_operation() {
    let mut bench = Command::new(env!("CARGO_BIN_EXE_auris-bench"));
    let output = bench.args(["api", "--round-ms", "100"]).env_remove("AURIS_TEST_POSTGRES").output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    for measure in ["job creations", "jobs completed", "job reads", "events streamed"] {
        assert!(printed.contains(measure), "{printed}");
    }
}
