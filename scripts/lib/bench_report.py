"""Writes the figures of a bench as JSON, with what a reader needs to judge them; the same form as benches/src/report."""
import json
import os
import pathlib
import subprocess
import sys

FEATURES = ["avx2", "avx512_vnni", "amx_int8"]


def write(path, bench, program, measures):
    """Does nothing without a path. `program` is the auris-bench that was measured; its folder names the build."""
    if not path:
        return
    document = {"environment": environment(program), "bench": bench, "measures": measures}
    pathlib.Path(path).write_text(json.dumps(document, indent=2) + "\n")


def environment(program):
    cpu = pathlib.Path("/proc/cpuinfo").read_text()
    flags = field(cpu, "flags").split()
    return {
        "cpu": field(cpu, "model name"),
        "cores": os.cpu_count(),
        "cpu_features": [feature for feature in FEATURES if feature in flags],
        "load_average": f"{os.getloadavg()[0]:.2f}",
        "build": "release" if pathlib.Path(program).parent.name == "release" else "dev",
        "commit": commit(),
        # Without the folders of this machine: results are committed.
        "command": " ".join(pathlib.Path(word).name for word in sys.argv),
    }


def field(cpu_info, name):
    lines = [line for line in cpu_info.splitlines() if line.startswith(name)]
    return lines[0].split(":", 1)[1].strip() if lines else ""


def commit():
    found = subprocess.run(["git", "log", "-1", "--format=%h %cI"], capture_output=True, text=True)
    return found.stdout.strip() if found.returncode == 0 else None
