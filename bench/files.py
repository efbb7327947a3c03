#!/usr/bin/env python3
"""Files: the CPU time of small files, the throughput of large ones per core, and the memory for very large ones.

    bench/files.py                 all of it
    bench/files.py --mebibytes 64  the same with a smaller very large file (the bounds are for 1,024)

CPU time is that of all threads of the server. Everything stays on 127.0.0.1 and is bounded.
"""

import hashlib
import pathlib
import random
import socket
import statistics
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from client import raw_request, whole_response  # noqa: E402
from run import Bench, Figures, arguments, good, running  # noqa: E402
from targets import PASSWORD, Manybase  # noqa: E402

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
SMALL_FILES = 200
SMALL_READS = 40_000
LARGE_READS = 400
PERSON = {"email": "bench@example.com", "password": PASSWORD}
BOUNDS = {"smallUs": 45, "uploadRiseMiB": 20, "downloadRiseMiB": 20}
FLOORS = {"largeGiBPerCore": 1.5}


class Files(Manybase):
    """A server with a bucket, and a project whose files may be as large as the benchmark's."""

    def prepare(self, max_size):
        call = self.client.call
        self.register_first(PERSON)
        control = call("POST", "/api/v1/control/auth/login", PERSON)["accessToken"]
        self.project = call("POST", "/api/v1/control/projects", {"name": "Files"}, control)["project"]["id"]
        call("PATCH", f"/api/v1/control/projects/{self.project}", {"maxFileSize": max_size}, control)
        self.sign_in()
        call("POST", "/api/v1/admin/storage/buckets", {"name": "bench"}, self.token)

    def sign_in(self):
        """Called before each part, since tokens live for minutes only."""
        control = self.client.call("POST", "/api/v1/control/auth/login", PERSON)["accessToken"]
        self.token = self.client.call("POST", f"/api/v1/control/projects/{self.project}/token", {}, control)["token"]

    def get(self, path):
        return raw_request("GET", f"/api/v1/storage/bench/{path}", self.token)

    def upload(self, path, size, block):
        """Sends `block` until `size` bytes are sent; returns the digest of the file."""
        digest = hashlib.sha256()
        with socket.create_connection(("127.0.0.1", self.port), timeout=120) as wire:
            headers = {"content-length": str(size), "content-type": "application/octet-stream"}
            wire.sendall(raw_request("PUT", f"/api/v1/storage/bench/{path}", self.token, headers=headers))
            for at in range(0, size, len(block)):
                piece = block[: size - at]
                digest.update(piece)
                wire.sendall(piece)
            response = b""
            while whole_response(response) is None:
                more = wire.recv(64 * KIB)
                if not more:
                    raise RuntimeError(f"the upload of {path} got no response")
                response += more
        if whole_response(response)[0] != 201:
            raise RuntimeError(f"upload of {path}: {response[:300]!r}")
        return digest.hexdigest()

    def download(self, path):
        """Downloads a file without keeping it; returns its size and its digest."""
        digest, size, head = hashlib.sha256(), 0, b""
        with socket.create_connection(("127.0.0.1", self.port), timeout=120) as wire:
            wire.sendall(raw_request("GET", f"/api/v1/storage/bench/{path}", self.token, headers={"connection": "close"}))
            while b"\r\n\r\n" not in head:
                more = wire.recv(64 * KIB)
                if not more:
                    raise RuntimeError(f"the download of {path} got no response")
                head += more
            head, _, piece = head.partition(b"\r\n\r\n")
            piece = piece or wire.recv(MIB)
            while piece:
                digest.update(piece)
                size += len(piece)
                piece = wire.recv(MIB)
        return size, digest.hexdigest()

    def peak_rise_mib(self, work):
        """Returns the rise of the server's resident memory during `work` in MiB, and the result of `work`."""
        before = self.resident_mib()
        pathlib.Path(f"/proc/{self.pid}/clear_refs").write_text("5")  # resets the peak
        result = work()
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        peak = int(status.split("VmHWM:")[1].split()[0]) / 1024
        return max(peak - before, 0.0), result


def cpu_of(bench, server, requests, connections, count, repeats):
    """Returns the median of the CPU microseconds per response."""
    figures = []
    for _ in range(repeats):
        run = bench.load(server.port, server.pid, requests, connections, count)
        if not good(run):
            raise RuntimeError(f"{run['statuses']}")
        figures.append(run["cpuUsPerRequest"])
    return statistics.median(figures)


def main():
    options = arguments(__doc__, mebibytes=1024)
    result = Figures()
    block = random.Random(5).randbytes(MIB)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=HERE.parent / "build") as folder:
        bench = Bench(options.build, folder, options.repeats)
        with running(Files(bench.folder / "files", options.server)) as server:
            whole = options.mebibytes * MIB
            server.prepare(whole)

            for i in range(SMALL_FILES):
                server.upload(f"small/{i}", KIB, block)
            small = [server.get(f"small/{i}") for i in range(SMALL_FILES)]
            result.report(smallUs=cpu_of(bench, server, small, 64, SMALL_READS, options.repeats))

            server.upload("large", 10 * MIB, block)
            server.sign_in()
            micros = cpu_of(bench, server, [server.get("large")], 8, LARGE_READS, options.repeats)
            result.report(largeUs=micros, largeGiBPerCore=10 * MIB / GIB / (micros / 1e6))

            server.sign_in()
            used = server.cpu_seconds()
            rise, sent = server.peak_rise_mib(lambda: server.upload("whole", whole, block))
            result.report(uploadRiseMiB=rise, uploadGiBPerCore=whole / GIB / max(server.cpu_seconds() - used, 0.01))
            used = server.cpu_seconds()
            rise, taken = server.peak_rise_mib(lambda: server.download("whole"))
            result.report(downloadRiseMiB=rise, downloadGiBPerCore=whole / GIB / max(server.cpu_seconds() - used, 0.01))
            if taken != (whole, sent):
                raise RuntimeError("what came back is not what was sent")

    return result.finish(BOUNDS, FLOORS)


if __name__ == "__main__":
    sys.exit(main())
