#!/usr/bin/env python3
"""How long godwit serve lets a client wait: serve_load.py SOCKET VCF

Clients (1, 4, 16) share the variants of the file, ask for one after the other, and then for the same once more, which the server may
remember. Prints the median and the 99th percentile of waits, and answers a second.
"""
import json
import socket
import sys
import threading
import time


def client(path: str, variants: list, waits: list) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        answers = connection.makefile("rb")
        for number, variant in enumerate(variants):
            begin = time.perf_counter()
            connection.sendall(json.dumps({"id": number, "variants": [variant]}).encode() + b"\n")
            answer = json.loads(answers.readline())
            waits.append(time.perf_counter() - begin)
            assert answer["id"] == number and answer["results"][0]["status"] == "PASS", answer


def load(path: str, variants: list, clients: int) -> tuple:
    waits: list = []
    threads = [threading.Thread(target=client, args=(path, variants[i::clients], waits)) for i in range(clients)]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - begin
    assert len(waits) == len(variants), "a client failed"
    waits.sort()
    return waits[len(waits) // 2] * 1e3, waits[len(waits) * 99 // 100] * 1e3, len(waits) / seconds


def main() -> None:
    rows = [line.split("\t") for line in open(sys.argv[2]) if not line.startswith("#")]
    variants = [f"{row[0]}:{row[1]}:{row[3]}:{row[4]}" for row in rows]
    share = len(variants) // 3
    print("clients\tasked\tp50_ms\tp99_ms\tanswers_per_second")
    for i, clients in enumerate((1, 4, 16)):
        for asked in ("once", "again"):
            figures = load(sys.argv[1], variants[i * share:(i + 1) * share], clients)
            print(f"{clients}\t{asked}\t%.2f\t%.2f\t%.0f" % figures, flush=True)


if __name__ == "__main__":
    main()
