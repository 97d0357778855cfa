"""Calls the service with the official `openai` package for Python and prints the results as JSON.

Usage: python openai_client.py BASE_URL API_KEY MODEL RECORDING
"""
import json
import sys

import openai

base_url, api_key, model, recording = sys.argv[1:]
client = openai.OpenAI(base_url=base_url, api_key=api_key, max_retries=0)
stranger = openai.OpenAI(base_url=base_url, api_key="sk-" + "0" * 48, max_retries=0)


def transcribe(caller=client, **changes):
    with open(recording, "rb") as file:
        return caller.audio.transcriptions.create(**{"model": model, "file": file, **changes})


def streamed():
    events = list(transcribe(stream=True))
    return {
        "deltas": "".join(event.delta for event in events if event.type == "transcript.text.delta"),
        "segments": sum(event.type == "transcript.text.segment" for event in events),
        "done": [event.text for event in events if event.type == "transcript.text.done"],
    }


def refusal(call):
    try:
        call()
    except openai.APIStatusError as error:
        return {"exception": type(error).__name__, "status": error.status_code, "code": error.code, "param": error.param}
    return {"exception": None}


answer = transcribe()
with_file_left_out = openai.omit if hasattr(openai, "omit") else openai.NOT_GIVEN
print(json.dumps({
    "version": openai.__version__,
    "json": answer.text,
    "seconds": answer.usage.seconds,
    "text": transcribe(response_format="text"),
    "streamed": streamed(),
    "models": [listed.id for listed in client.models.list()],
    "wrong_key": refusal(lambda: transcribe(stranger)),
    "missing_file": refusal(lambda: transcribe(file=with_file_left_out)),
    "unknown_model": refusal(lambda: transcribe(model="no-such-model")),
}))
