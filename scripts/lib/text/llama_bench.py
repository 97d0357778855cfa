"""The same measurement as `auris-bench engine-language`, with llama.cpp: llama_bench.py FILE READ WRITE THREADS."""
import json
import os
import sys
import time
import urllib.request

import xllamacpp

SENTENCE = "The committee met on Tuesday to talk about the new library by the river. "
SENTENCE_TOKENS = 15


def serve(file, threads):
    params = xllamacpp.CommonParams()
    params.model.path = file
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_parallel = 1
    params.n_ctx = 8192
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    return xllamacpp.Server(params)


def ask(server, text, tokens):
    body = {"prompt": text + "\nA long story about it:\n", "n_predict": tokens, "temperature": 0, "ignore_eos": True}
    request = urllib.request.Request(
        server.listening_address + "/completion", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    return json.load(urllib.request.urlopen(request))["timings"]


def measure(server, what, text, tokens):
    started, before = time.monotonic(), time.process_time()
    timings = ask(server, text, tokens)
    wall, cpu = time.monotonic() - started, time.process_time() - before
    count = timings["prompt_n"] if what == "read" else timings["predicted_n"]
    print(json.dumps({"what": what, "tokens": count, "wall_seconds": wall, "cpu_seconds": cpu}), flush=True)


def main():
    file, read, write, threads = sys.argv[1], *map(int, sys.argv[2:5])
    server = serve(file, threads)
    text = SENTENCE * (read // SENTENCE_TOKENS)
    ask(server, SENTENCE, 1)
    measure(server, "read", text, 1)
    measure(server, "write", text, write)
    del server
    os._exit(0)


if __name__ == "__main__":
    main()
