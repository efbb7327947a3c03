#!/usr/bin/env python3
"""The time until revoked access is refused, while 64 connections load the server: a session, a user, a member, a key, a
project, a role. Also the cost of checking a cached token.

    bench/revocation.py [--rounds 20] [--build build/release/bin] [--json FILE]

A round: eight separate connections use one token in a closed loop, on every core; then one call revokes the token's
access. Times count from the response to that call. No request that starts more than a second after it may pass, and
every connection must be refused. Everything stays on 127.0.0.1.
"""

import argparse
import json
import pathlib
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from client import whole_response, write_requests  # noqa: E402
from revocable import KINDS, Server  # noqa: E402

CONNECTIONS = 64
PROBES = 8
BEFORE = 0.3  # seconds of use before the call
AFTER = 1.5  # and after its response
LATEST = 1.0
REFUSALS = {401, 403, 404}
TOKEN_CHECK_US = 3.0


class Load:
    """A closed loop over 64 connections, until end()."""

    def __init__(self, binaries, server, file):
        write_requests(file, server.load())
        self.command = [binaries / "loadgen", "--port", str(server.port), "--file", file]
        self.command += ["--connections", str(CONNECTIONS)]
        self.figures = []
        self.problem = None
        self.process = None
        self.ending = False
        self.run(2000)
        self.thread = threading.Thread(target=self.loop)
        self.thread.start()

    def run(self, count):
        process = subprocess.Popen(
            self.command + ["--requests", str(count)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.process = process
        out, problem = process.communicate()
        if process.returncode == 0:
            self.figures.append(json.loads(out))
        elif not self.ending:
            self.problem = problem or f"loadgen ended with {process.returncode}"

    def loop(self):
        while not self.ending and not self.problem:
            self.run(int(self.figures[-1]["perSecond"] * 5) + 1)

    def end(self):
        """Returns the requests per second of the complete runs."""
        self.ending = True
        self.process.terminate()
        self.thread.join()
        statuses = {status for figure in self.figures for status in figure["statuses"]}
        if self.problem or any(not status.startswith("2") for status in statuses):
            raise RuntimeError(f"the load failed: {self.problem or statuses}")
        return statistics.median(figure["perSecond"] for figure in self.figures)


class Line:
    """A connection with at most one pending request."""

    def __init__(self, port, selector):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.data = b""
        self.done = []  # (start, end, status)
        selector.register(self.socket, selectors.EVENT_READ, self)

    def send(self, request):
        self.began = time.perf_counter()
        self.socket.sendall(request)

    def receive(self):
        """Reads once; returns whether the response is complete."""
        more = self.socket.recv(65536)
        if not more:
            raise RuntimeError("the server closed a connection")
        self.data += more
        whole = whole_response(self.data)
        if whole is None:
            return False
        self.done.append((self.began, time.perf_counter(), whole[0]))
        self.data = self.data[whole[1] :]
        return True


def run_round(port, use, take):
    """Runs one round; returns its figures in milliseconds from the response to the revoking call."""
    with selectors.DefaultSelector() as selector:
        lines = [Line(port, selector) for _ in range(PROBES)]
        caller = Line(port, selector)
        try:
            for line in lines:
                line.send(use)
            begin = time.perf_counter()
            end = begin + 60
            sent = False
            while time.perf_counter() < end:
                if not sent and time.perf_counter() - begin >= BEFORE:
                    caller.send(take)
                    sent = True
                for key, _ in selector.select(0.05):
                    line = key.data
                    if not line.receive():
                        continue
                    if line is caller:
                        end = line.done[0][1] + AFTER
                    else:
                        line.send(use)
        finally:
            for line in [*lines, caller]:
                line.socket.close()
    return figures_of(lines, caller)


def figures_of(lines, caller):
    if not caller.done or caller.done[0][2] >= 300:
        raise RuntimeError(f"what was to be taken away was not: {caller.done}")
    start, responded, _ = caller.done[0]
    requests = [request for line in lines for request in line.done]
    if any(status != 200 for began, done, status in requests if done < start):
        raise RuntimeError("refused before anything was taken away")
    refused = [done for _, done, status in requests if status in REFUSALS]
    passed = [began for began, _, status in requests if status == 200]
    others = sorted({status for _, _, status in requests} - REFUSALS - {200})
    return {
        "answerMs": (responded - start) * 1000,
        # 0 if the first refusal came before the response.
        "firstRefusalMs": max(0.0, (min(refused) - responded) * 1000) if refused else None,
        # The start of the last request that passed; 0 if it was before the response.
        "lastPassMs": max(0.0, (max(passed) - responded) * 1000),
        "passedAfter": sum(1 for began in passed if began > responded),
        "refusals": sorted({status for _, _, status in requests if status in REFUSALS}),
        "others": others,
        "ok": not others
        and max(passed) - responded <= LATEST
        and all(any(status in REFUSALS for _, _, status in line.done) for line in lines)
        and all(status in REFUSALS for began, _, status in requests if began - responded > LATEST),
    }


def rounds_of(kind, server, binaries, folder, rounds):
    # Signs in again for each kind, since tokens live for minutes only.
    server.sign_in_owner()
    server.admin = server.exchange(server.project, server.control)
    access = kind(server)
    load = Load(binaries, server, pathlib.Path(folder) / "requests")
    results = []
    try:
        for _ in range(rounds):
            use, take, restore = access.round()
            results.append(run_round(server.port, use, take))
            if restore:
                restore()
    finally:
        per_second = load.end()
    firsts = [result["firstRefusalMs"] for result in results if result["firstRefusalMs"] is not None]
    return {
        "what": kind.name,
        "rounds": rounds,
        "loadPerSecond": round(per_second),
        "answerMs": round(statistics.median(result["answerMs"] for result in results), 1),
        "firstRefusalMs": round(statistics.median(firsts), 1) if firsts else None,
        "firstRefusalMostMs": round(max(firsts), 1) if firsts else None,
        "lastPassMostMs": round(max(result["lastPassMs"] for result in results), 1),
        "passedAfter": sum(result["passedAfter"] for result in results),
        "refusals": sorted({status for result in results for status in result["refusals"]}),
        "others": sorted({status for result in results for status in result["others"]}),
        "failed": sum(1 for result in results if not result["ok"]),
    }


def show(row):
    shown = [row["answerMs"], row["firstRefusalMs"], row["firstRefusalMostMs"], row["lastPassMostMs"]]
    print(
        f"{row['what']:<19}{row['rounds']:>7}{row['loadPerSecond']:>8}"
        + "".join(f"{'never' if value is None else format(value, '.1f'):>9}" for value in shown)
        + f"{row['passedAfter']:>7}  {','.join(map(str, row['refusals'] + row['others'])):<9}"
        + ("ok" if row["failed"] == 0 else f"{row['failed']} FAILED"),
        flush=True,
    )


def token_check(binaries):
    """Returns CPU microseconds."""
    out = subprocess.run([binaries / "token_check"], capture_output=True, text=True, check=True).stdout
    return float(out.split(":")[1].split()[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--build", default=str(HERE.parent / "build" / "release" / "bin"), help="of the programs")
    parser.add_argument("--json", default=str(HERE / "results" / "revocation.json"), help="of the figures")
    options = parser.parse_args()
    binaries = pathlib.Path(options.build)
    rows = []
    with tempfile.TemporaryDirectory(prefix="revocation-") as folder:
        server = Server(folder, str(binaries / "manybase"))
        server.start()
        try:
            server.prepare()
            print(f"{CONNECTIONS} busy connections, {PROBES} more that use what is taken away")
            print("in ms: the response to the revoking call; from then on the first refusal (median, at most)")
            print("and the start of the last request that passed; then how many that began after it passed")
            titles = "".join(f"{title:>9}" for title in ("response", "refused", "at most", "passed"))
            print(f"{'what':<19}{'rounds':>7}{'load/s':>8}{titles}{'after':>7}  statuses")
            for kind in KINDS:
                row = rounds_of(kind, server, binaries, folder, options.rounds)
                show(row)
                rows.append(row)
        finally:
            server.stop()
    cost = token_check(binaries)
    print(f"cached token check: {cost:.3f} us of CPU (bound {TOKEN_CHECK_US:g})")
    out = pathlib.Path(options.json)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps({"rows": rows, "tokenCheckUs": cost}, indent=2) + "\n")
    failed = sum(row["failed"] for row in rows)
    good = failed == 0 and cost <= TOKEN_CHECK_US
    slowest = max(row["lastPassMostMs"] for row in rows)
    verdict = "all refused within 1 s" if failed == 0 else f"{failed} rounds FAILED"
    print(f"revocation: {verdict}; the last that passed began {slowest:.1f} ms after; token check {cost:.3f} us")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
