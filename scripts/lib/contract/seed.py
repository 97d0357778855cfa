"""Creates objects, so that the contract runs also call existing ones, and writes their ids into files.

Usage: seed.py BASE KEY FOLDER                         for openapi/openapi.yaml
       seed.py BASE KEY FOLDER PROJECT OPERATOR_KEY    for openapi/console.yaml; KEY belongs to PROJECT
"""

import io
import json
import sys
import time
import urllib.request
import wave

JOBS = 6
BOUNDARY = "auris-contract"
# Objects of each kind that a run may end or delete. A request that repeats this for the same object gets 404.
DOOMED = 8


class Server:
    def __init__(self, base, key):
        self.base = base
        self.key = key

    def call(self, method, path, body=None, content_type="application/json", **headers):
        headers |= {"Authorization": f"Bearer {self.key}", "Content-Type": content_type, "X-Auris-Console": "1"}
        request = urllib.request.Request(self.base + path, body, headers, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        return json.load(opener.open(request, timeout=30))

    def post(self, path, body, **headers):
        return self.call("POST", path, json.dumps(body).encode(), **headers)

    def ids(self, path):
        return [item["id"] for item in self.call("GET", path)["data"]]


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


def transcription_job(server, model):
    body = form({"model": model, "async": "true"}, recording())
    job = server.call("POST", "/v1/audio/transcriptions", body, f"multipart/form-data; boundary={BOUNDARY}")
    while job["completed_at"] is None:
        time.sleep(0.05)
        job = server.call("GET", f"/v1/jobs/{job['id']}")
    return job


def write(folder, lists):
    for name, lines in lists.items():
        with open(f"{folder}/{name}", "w") as file:
            file.write("".join(f'"{line}"\n' for line in lines))


def objects_of_project(server):
    models = [model for model in server.call("GET", "/v1/models")["data"] if model["required_plan"] is None]
    fakes = [model for model in models if model["id"].startswith("fake-")]
    able = [model["id"] for model in fakes if any(c["capability"] == "transcription" for c in model["capabilities"])]
    jobs = [transcription_job(server, able[0]) for _ in range(JOBS)]
    return {
        "models": [model["id"] for model in models],
        "jobs": [job["id"] for job in jobs],
        "steps": [step for job in jobs for step in server.ids(f"/v1/jobs/{job['id']}/steps")],
        "artifacts": [artifact["id"] for job in jobs for artifact in job["result"]["artifacts"]],
    }


def endpoints(server):
    """Endpoints that nobody listens on."""
    for number in range(2 * DOOMED - 4):
        server.post("/v1/webhook_endpoints", {"url": f"https://127.0.0.1:9/{number}"}, **{"Idempotency-Key": f"seed-{number}"})
    return server.ids("/v1/webhook_endpoints")


def seeded(operator, path):
    return [listed["id"] for listed in operator.call("GET", path)["data"] if listed["name"].startswith("seed-")]


def operator_objects(operator, project, key):
    """What only operators can create, and deliveries of the project's jobs."""
    keys = f"/operator/v1/projects/{project}/keys"
    for number in range(2 * DOOMED):
        operator.post(keys, {"name": f"seed-{number}"})
    for number in range(DOOMED):
        created = operator.post("/operator/v1/keys", {"name": f"seed-{number}"})
        operator.post("/console/v1/session", {"key": created["key"]})
    own = seeded(operator, keys)
    doomed = seeded(operator, "/operator/v1/keys")[: DOOMED // 2]
    # Sessions end with their key, so these have another one.
    sessions = [listed["id"] for listed in operator.call("GET", "/operator/v1/sessions")["data"] if listed["key_id"] not in doomed]
    models = operator.ids("/operator/v1/models")
    task = operator.post(f"/operator/v1/models/{models[0]}/verify", {})
    return {
        "keys": own[:DOOMED],
        "doomed_keys": own[DOOMED:],
        "doomed_operator_keys": doomed,
        "doomed_sessions": sessions,
        "model_records": models,
        "model_tasks": [task["id"]],
        "nodes": [node["id"] for node in operator.call("GET", "/operator/v1/overview")["nodes"]],
        "plans": operator.call("GET", "/operator/v1/projects")["plans"],
        "deliveries": operator.ids(f"/operator/v1/projects/{project}/deliveries?limit=20"),
        "sign_in_keys": [key],
    }


def console_objects(server, project, operator):
    own = endpoints(server)
    lists = objects_of_project(server) | operator_objects(operator, project, server.key)
    doomed = objects_of_project(server)
    return lists | {
        "projects": [project],
        "endpoints": own[:4],
        "doomed_endpoints": own[4:],
        "doomed_jobs": doomed["jobs"][1:],
        "doomed_artifacts": doomed["artifacts"],
    }


def main(base, key, folder, project=None, operator_key=None):
    server = Server(base, key)
    if project is None:
        write(folder, objects_of_project(server))
    else:
        write(folder, console_objects(server, project, Server(base, operator_key)))


main(*sys.argv[1:])
