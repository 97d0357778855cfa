"""Recordings that the benches make of the test recordings."""
import subprocess

from recordings import recordings

TALK = ["two_cities", "jfk", "beckett", "call"]
# The length of all of TALK.
TALK_SECONDS = 95.3


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-y", "-v", "error", *map(str, arguments)], check=True)


def sound(folder, name, sources, repeat=1, begin=0.0, seconds=None):
    """These recordings in sequence, `repeat` times, as 16 kHz mono WAV or FLAC."""
    path = folder / name
    if path.exists():
        return path
    inputs = [word for source in sources for word in ("-i", recordings()[source]["file"])]
    graph = "".join(f"[{n}:a]aresample=16000,aformat=channel_layouts=mono[a{n}];" for n in range(len(sources)))
    graph += "".join(f"[a{n}]" for n in range(len(sources))) + f"concat=n={len(sources)}:v=0:a=1"
    once, part = folder / "once.wav", folder / f"part-{name}"
    ffmpeg(*inputs, "-filter_complex", graph, "-ss", begin, *(["-t", seconds] if seconds else []), once)
    ffmpeg("-stream_loop", repeat - 1, "-i", once, part)
    once.unlink()
    return part.rename(path)


def talk(folder, times):
    """A slow reader, a speech, a fast reader and a telephone call: 95 seconds, some times."""
    return sound(folder, f"talk-{times}.wav", TALK, repeat=times)


def short_clip(folder):
    """Three seconds of a speech."""
    return sound(folder, "clip.wav", ["jfk"], begin=8.0, seconds=3.0)


def long_recording(folder, seconds):
    """TALK for this long, as FLAC, because an hour of WAV is larger than an upload may be."""
    return sound(folder, f"long-{seconds}.flac", TALK, repeat=max(1, round(seconds / TALK_SECONDS)))


def clips(folder, count):
    """Parts of TALK between 3 and 15 seconds long, with their lengths in seconds."""
    made = []
    for nth in range(count):
        # Spread over the recording and over the lengths, in an order without a pattern.
        seconds = 3.0 + (nth * 37 % count) * 12.0 / max(1, count - 1)
        begin = (nth * 61 % count) * (TALK_SECONDS - 15.0) / count
        made.append((sound(folder, f"clip-{count}-{nth}.wav", TALK, begin=begin, seconds=seconds), seconds))
    return made
