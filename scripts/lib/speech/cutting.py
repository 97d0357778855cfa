"""Cuts speech out of recordings by the rules of Auris."""
import numpy
from faster_whisper.vad import get_vad_model

from recordings import RATE

FRAME = 512
MOONSHINE = {"longest": 20.0, "enough": 8.0, "pause": 2.0}
WHISPER = {"longest": 29.0, "enough": 22.0, "pause": 4.0}


def limits(model):
    """The lengths that a model's segments may have, in seconds."""
    return MOONSHINE if model.startswith("moonshine") else WHISPER


def spoken_pieces(samples, longest, enough, pause):
    """The parts with speech, so that the benchmark compares only the recognition.

    A pause of ten frames ends a piece of at least `enough` seconds; a pause of `pause` seconds ends any piece. A piece
    of `longest` seconds is cut at the quietest frame of its last third.
    """
    padded = numpy.pad(samples, (0, -len(samples) % FRAME))
    voice = numpy.asarray(get_vad_model()(padded)).reshape(-1)
    frames = RATE / FRAME
    pieces, begin, end, spoken, speaking = [], None, 0, 0, False

    def close(first, last):
        if spoken >= 4:
            pieces.append(samples[first * FRAME : last * FRAME])

    for here, probability in enumerate(voice, start=1):
        speaking = probability >= (0.35 if speaking else 0.5)
        if speaking:
            begin, spoken = (max(here - 1 - 8, 0), 0) if begin is None else (begin, spoken)
            end, spoken = here, spoken + 1
        if begin is None:
            continue
        if here - begin >= longest * frames:
            middle = begin + (here - begin) * 2 // 3
            quietest = middle + int(voice[middle:here].argmin())
            close(begin, quietest + 1)
            spoken = int((voice[quietest + 1 : here] >= 0.35).sum())
            begin, end = (quietest + 1, max(end, quietest + 2)) if spoken else (None, 0)
        elif (here - end >= 10 and end - begin >= enough * frames) or here - end >= max(pause * frames, 9):
            close(begin, min(end + 8, here))
            begin = None
    if begin is not None:
        close(begin, min(end + 8, len(voice)))
    return pieces
