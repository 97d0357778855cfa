"""Builds folders of recordings with texts from clones of public repositories: `collect.py CLONES OUT`.

`sources.json` beside this file lists the recordings: each is one file of one commit of a repository. CLONES/OWNER/NAME
is a clone of the repository OWNER/NAME, with or without a work tree; a plain copy of its files will do as well. The
result is OUT/LANGUAGE/NAME.wav (16 kHz, mono, 16 bits) with NAME.txt beside it, as `scripts/accuracy --recordings`
reads it. ffmpeg must be installed. What is there already is kept, so a second run adds only what was missing.
"""
import argparse
import collections
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

SOURCES = pathlib.Path(__file__).with_name("sources.json")


class Missing(Exception):
    """A recording that cannot be made, and why."""


def git_folder(clone):
    """The git directory of a clone, if it has one: CLONE/.git, or CLONE itself for a bare one."""
    return next((folder for folder in (clone / ".git", clone) if (folder / "objects").is_dir()), None)


def from_history(clone, source):
    """The file as it was in the commit of the source, or None."""
    folder = git_folder(clone)
    if folder is None:
        return None
    command = ["git", f"--git-dir={folder}", "cat-file", "blob", f"{source['commit']}:{source['path']}"]
    found = subprocess.run(command, capture_output=True)
    return found.stdout if found.returncode == 0 else None


def from_work_tree(clone, source):
    """The file as it is in the work tree, or None."""
    file = clone / source["path"]
    return file.read_bytes() if file.is_file() else None


def original(clones, source):
    """The bytes of the original file. The hash decides whether it is the right one, wherever it was found."""
    clone = clones / source["repository"]
    if not clone.is_dir():
        raise Missing(f"no clone of {source['repository']}")
    read = [data for data in (from_history(clone, source), from_work_tree(clone, source)) if data is not None]
    for data in read:
        if hashlib.sha256(data).hexdigest() == source["sha256"]:
            return data
    if read:
        raise Missing(f"{source['repository']} has another version of the file (a clone with its history is needed)")
    raise Missing(f"{source['repository']} lacks the file or commit {source['commit'][:12]} (a shallow clone?)")


def convert(data, suffix, target):
    """Writes the WAV file in one step, so that a run that is stopped leaves no half of it."""
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        source, part = pathlib.Path(folder, f"source{suffix}"), pathlib.Path(folder, "part.wav")
        source.write_bytes(data)
        form = ["-vn", "-map_metadata", "-1", "-ac", "1", "-ar", "16000", "-c:a", "pcm_s16le", "-bitexact"]
        command = ["ffmpeg", "-nostdin", "-y", "-v", "error", "-threads", "1", "-i", str(source), *form, str(part)]
        made = subprocess.run(command, capture_output=True, text=True)
        if made.returncode != 0:
            raise Missing(f"ffmpeg cannot convert it: {made.stderr.strip()}")
        part.rename(target)


def collect(clones, out, source):
    target = out / source["language"] / f"{source['name']}.wav"
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        convert(original(clones, source), pathlib.PurePosixPath(source["path"]).suffix, target)
    target.with_suffix(".txt").write_text(source["text"] + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", type=pathlib.Path, metavar="CLONES", help="folder with OWNER/NAME for each")
    parser.add_argument("out", type=pathlib.Path, metavar="OUT", help="folder for the recordings")
    options = parser.parse_args()
    sources = json.loads(SOURCES.read_text(encoding="utf-8"))
    made, missing = collections.Counter(), collections.defaultdict(list)
    for source in sources:
        try:
            collect(options.clones, options.out, source)
            made[source["language"]] += 1
        except Missing as reason:
            missing[str(reason)].append(f"{source['language']}/{source['name']}")
    print(", ".join(f"{language} {count}" for language, count in sorted(made.items())) or "nothing")
    for reason, names in missing.items():
        print(f"error: {reason}: {len(names)} missing, such as {names[0]}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
