"""Creates jobs, so that the contract run also calls existing objects, and writes their ids into files."""

import io
import json
import sys
import time
import urllib.request
import wave

JOBS = 6
BOUNDARY = "auris-contract"


def call(method, path, body=None, content_type="application/json"):
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": content_type}
    request = urllib.request.Request(BASE + path, body, headers, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    return json.load(opener.open(request, timeout=30))


def recording():
    """Half a second of a square wave."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes(b"\x00\x10\x00\xf0" * 4000)
    return buffer.getvalue()


def form(fields, file):
    parts = [f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()]
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'
    return "".join(parts).encode() + head.encode() + file + f"\r\n--{BOUNDARY}--\r\n".encode()


def transcription_job(model):
    body = form({"model": model, "async": "true"}, recording())
    job = call("POST", "/v1/audio/transcriptions", body, f"multipart/form-data; boundary={BOUNDARY}")
    while job["completed_at"] is None:
        time.sleep(0.05)
        job = call("GET", f"/v1/jobs/{job['id']}")
    return job


def write(name, lines):
    with open(f"{FOLDER}/{name}", "w") as file:
        file.write("".join(f'"{line}"\n' for line in lines))


def main():
    models = [model for model in call("GET", "/v1/models")["data"] if model["required_plan"] is None]
    fakes = [model for model in models if model["id"].startswith("fake-")]
    able = [model["id"] for model in fakes if any(c["capability"] == "transcription" for c in model["capabilities"])]
    jobs = [transcription_job(able[0]) for _ in range(JOBS)]
    steps = [step for job in jobs for step in call("GET", f"/v1/jobs/{job['id']}/steps")["data"]]
    write("models", [model["id"] for model in models])
    write("projects", ["default"])
    write("jobs", [job["id"] for job in jobs])
    write("steps", [step["id"] for step in steps])
    write("artifacts", [artifact["id"] for job in jobs for artifact in job["result"]["artifacts"]])


BASE, KEY, FOLDER = sys.argv[1:4]
main()
