#!/usr/bin/env python3
"""Whether the time of an answer tells who is registered. For login, a request for a reset and a request for
verification: as many tries with known addresses as with unknown ones, in random order, beside two equal runs with
unknown addresses whose difference is the noise. Everything stays on 127.0.0.1; mails go to the outbox.

    bench/auth_timing.py [--tries 500] [--binary build/release/bin/manybase]
"""

import argparse
import http.client
import json
import pathlib
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PASSWORD = "correct horse battery"
ACTIONS = ("login", "password-reset/request", "verify-email/request")


class Client:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def post(self, path, body, headers=None):
        """Status, body and seconds."""
        data = json.dumps(body)
        head = {"content-type": "application/json", **(headers or {})}
        began = time.perf_counter()
        self.connection.request("POST", "/api/v1" + path, data, head)
        answer = self.connection.getresponse()
        text = answer.read()
        return answer.status, text, time.perf_counter() - began


def ready(port):
    for _ in range(500):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/api/v1/ready")
            if connection.getresponse().status == 200:
                return
        except OSError:
            pass
        time.sleep(0.02)
    sys.exit("the server is not ready")


def expect(answer, status):
    if answer[0] != status:
        sys.exit(f"{answer[0]} in place of {status}: {answer[1][:300]}")
    return answer


def measure(client, action, groups, tries):
    """Medians in microseconds by group; the groups take turns in random order."""
    times = {name: [] for name in groups}
    order = [name for name in groups for _ in range(tries)]
    random.shuffle(order)
    for name in order:
        body = {"email": groups[name].pop()}
        if action == "login":
            body["password"] = "wrong " + PASSWORD
        status = 401 if action == "login" else 204
        times[name].append(expect(client.post("/auth/" + action, body), status)[2])
    return {name: statistics.median(taken) * 1e6 for name, taken in times.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tries", type=int, default=500)
    parser.add_argument("--binary", default=ROOT / "build" / "release" / "bin" / "manybase")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="auth-timing-")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [str(options.binary), "serve"],
        env={
            "SERVICE_LISTEN": f"127.0.0.1:{port}",
            "SERVICE_DATA_DIR": folder + "/data",
            "SERVICE_AUTH_RATE_LIMIT": "1000000/60",
            "SERVICE_LOG_LEVEL": "error",
        },
        cwd=folder,
    )
    try:
        ready(port)
        client = Client(port)
        you = {"email": "owner@example.com", "password": PASSWORD}
        expect(client.post("/control/auth/register", you), 201)
        token = json.loads(expect(client.post("/control/auth/login", you), 200)[1])["accessToken"]
        expect(client.post("/control/projects", {"name": "Timing"}, {"authorization": "Bearer " + token}), 201)
        known = [f"known{i}@example.com" for i in range(options.tries)]
        for email in known:
            expect(client.post("/auth/register", {"email": email, "password": PASSWORD}), 201)
        time.sleep(2)
        found = {}
        for action in ACTIONS:
            strangers = [f"{action[:5]}{i}@example.com" for i in range(2 * options.tries)]
            groups = {
                "known": list(known),
                "unknown": strangers[: options.tries],
                "unknown again": strangers[options.tries :],
            }
            medians = measure(client, action, groups, options.tries)
            gap = abs(medians["known"] - medians["unknown"])
            noise = abs(medians["unknown"] - medians["unknown again"])
            found[action] = {**medians, "difference": gap, "noise": noise}
            print(
                f"{action:24} known {medians['known']:9.1f} us   unknown {medians['unknown']:9.1f} us   "
                f"difference {gap:6.1f} us ({gap / medians['unknown']:.2%})   noise {noise:6.1f} us"
            )
            time.sleep(1)
        if options.json:
            options.json.write_text(json.dumps(found, indent=2) + "\n")
    finally:
        server.terminate()
        server.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
