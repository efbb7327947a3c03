#!/usr/bin/env python3
"""Checks that the time of a response does not show whether an address is registered: login, a request for a password
reset, a request for verification, on both planes.

    bench/auth_timing.py [--tries 500] [--build build/release/bin] [--json FILE]

Each attempt is three requests in random order: a known address, an unknown one, and another unknown one. `difference`
is that of the medians of known and unknown; `noise` is that of two equal runs, the unknown and the other unknown.
`bound` estimates the noise from many pairs: within each attempt the two unknown times are swapped at random, and 99 of
100 such pairs differ by at most the bound. A difference above both is measured again, with new addresses; above both
twice, with the same sign, the check fails.

Every request has its own forwarded address, so that no limit per address takes effect. Everything stays on 127.0.0.1;
mails go to the outbox.
"""

import argparse
import gc
import json
import pathlib
import random
import socket
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from client import in_parallel, raw_request, whole_response  # noqa: E402
from targets import PASSWORD, Manybase, address  # noqa: E402

GROUPS = ("known", "unknown", "again")
SWAPS = 2000
WARMUP = 50
# Action: the status of its response, and the pause between requests in seconds, so that the jobs that they queue stay
# below the bound of the queue.
ACTIONS = {"login": (401, 0.0), "password-reset/request": (204, 0.004), "verify-email/request": (204, 0.004)}
OWNER = {"email": "owner@example.com", "password": PASSWORD}


class Caller:
    """One keep-alive connection, and a forwarded address for each request."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.number = random.randrange(1 << 23)

    def post(self, path, body, status):
        """Returns the seconds until the complete response has arrived."""
        self.number = (self.number + 1) % (1 << 24)
        request = raw_request("POST", "/api/v1" + path, None, body, {"x-forwarded-for": address(self.number)})
        data = b""
        began = time.perf_counter()
        self.socket.sendall(request)
        while (whole := whole_response(data)) is None:
            more = self.socket.recv(65536)
            if not more:
                raise RuntimeError("the server closed the connection")
            data += more
        taken = time.perf_counter() - began
        if whole[0] != status:
            raise RuntimeError(f"{path}: {whole[0]} instead of {status}: {data[:500]!r}")
        return taken


class Plane:
    def __init__(self, name, prefix, server):
        self.name = name
        self.path = prefix + "/auth/"
        self.server = server
        self.known = []

    def where(self, action):
        return self.path + action + ("" if self.name == "control" else f"?project={self.server.project}")

    def fill(self, count):
        """Registers `count` users. All addresses have the same length and do not depend on the group."""
        self.known = [stranger() for _ in range(count)]

        def register(email):
            headers = {"x-forwarded-for": address(random.randrange(1 << 24))}
            body = {"email": email, "password": PASSWORD}
            self.server.client.call("POST", "/api/v1" + self.where("register"), body, headers=headers)

        in_parallel(register, self.known, 4)


class Server(Manybase):
    def prepare(self):
        call = self.client.call
        self.register_first(OWNER)
        control = call("POST", "/api/v1/control/auth/login", OWNER)["accessToken"]
        self.project = call("POST", "/api/v1/control/projects", {"name": "Timing"}, control)["project"]["id"]


def stranger():
    return f"p{random.randrange(16**12):012x}@example.com"


def sample(caller, plane, action, tries):
    """Returns the seconds of each attempt, by group."""
    status, pause = ACTIONS[action]
    path = plane.where(action)
    taken = {group: [] for group in GROUPS}
    gc.collect()
    gc.disable()
    try:
        for number in range(-WARMUP, tries):
            emails = {group: stranger() for group in GROUPS}
            if number >= 0:
                emails["known"] = plane.known[number]
            for group in random.sample(GROUPS, len(GROUPS)):
                body = {"email": emails[group]}
                if action == "login":
                    body["password"] = "wrong " + PASSWORD
                if pause:
                    time.sleep(pause)
                seconds = caller.post(path, body, status)
                if number >= 0:
                    taken[group].append(seconds)
    finally:
        gc.enable()
    return taken


def equal_runs(first, second):
    """Returns the bound of the difference between the medians of two equal runs, in 99 of 100 pairs."""
    gaps = []
    for _ in range(SWAPS):
        pairs = [(a, b) if random.getrandbits(1) else (b, a) for a, b in zip(first, second)]
        gaps.append(abs(statistics.median(a for a, _ in pairs) - statistics.median(b for _, b in pairs)))
    return sorted(gaps)[int(0.99 * SWAPS)]


def measure(caller, plane, action, tries):
    """Returns the figures in microseconds."""
    taken = sample(caller, plane, action, tries)
    medians = {group: statistics.median(taken[group]) * 1e6 for group in GROUPS}
    return {
        "plane": plane.name,
        "action": action,
        **{group: round(median, 1) for group, median in medians.items()},
        "difference": round(medians["known"] - medians["unknown"], 1),
        "noise": round(abs(medians["unknown"] - medians["again"]), 1),
        "bound": round(equal_runs(taken["unknown"], taken["again"]) * 1e6, 1),
    }


def outside(row):
    return abs(row["difference"]) > max(row["noise"], row["bound"])


def show(row):
    print(
        f"{row['plane']:<8}{row['action']:<24}{row['known']:>10.1f}{row['unknown']:>10.1f}{row['again']:>10.1f}"
        f"{row['difference']:>+11.1f}{row['noise']:>8.1f}{row['bound']:>8.1f}"
        f"   {'OUTSIDE' if outside(row) else 'inside'}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=500)
    parser.add_argument("--build", default=str(HERE.parent / "build" / "release" / "bin"), help="of the programs")
    parser.add_argument("--json", default=str(HERE / "results" / "auth_timing.json"), help="of the figures")
    options = parser.parse_args()
    rows = []
    revealing = []
    with tempfile.TemporaryDirectory(prefix="auth-timing-") as folder:
        server = Server(folder, str(pathlib.Path(options.build) / "manybase"))
        server.start()
        try:
            server.prepare()
            planes = [Plane("data", "", server), Plane("control", "/control", server)]
            for plane in planes:
                plane.fill(options.tries)
            time.sleep(2)  # the mails of the registrations
            print(f"medians of {options.tries} attempts each, in us; bound: the difference of equal runs (99 of 100)")
            groups = "".join(f"{group:>10}" for group in GROUPS)
            print(f"{'plane':<8}{'what':<24}{groups}{'difference':>11}{'noise':>8}{'bound':>8}")
            caller = Caller(server.port)
            for plane in planes:
                for action in ACTIONS:
                    first = measure(caller, plane, action, options.tries)
                    show(first)
                    rows.append(first)
                    if not outside(first):
                        continue
                    time.sleep(1)
                    second = measure(caller, plane, action, options.tries)
                    show(second)
                    rows.append(second)
                    if outside(second) and (first["difference"] > 0) == (second["difference"] > 0):
                        revealing.append(f"{plane.name} {action}")
        finally:
            server.stop()
    out = pathlib.Path(options.json)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps({"tries": options.tries, "rows": rows, "revealing": revealing}, indent=2) + "\n")
    shown = "response times show who is registered: " + ", ".join(revealing)
    verdict = shown if revealing else "no response time shows who is registered"
    print(f"timing: {verdict}")
    return 1 if revealing else 0


if __name__ == "__main__":
    sys.exit(main())
