"""A llama.cpp server for the tests, from the package xllamacpp. It serves one GGUF file until standard input closes.

Usage: serve_llama.py FILE [THREADS]
Prints its address, http://127.0.0.1:PORT/v1, as the first line.
"""
import sys

import xllamacpp


def main():
    params = xllamacpp.CommonParams()
    params.model.path = sys.argv[1]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_parallel = 1
    params.n_ctx = 4096
    params.warmup = False
    if len(sys.argv) > 2:
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = int(sys.argv[2])
    server = xllamacpp.Server(params)
    print(f"{server.listening_address}/v1", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
