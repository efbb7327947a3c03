"""The real server as a child process, with a port and a data directory of its own."""

import http.client
import os
import re
import signal
import subprocess
from pathlib import Path

import httpx

from support import mongo_server
from support.ports import free_port
from support.waiting import SLOW, leases_end_in, wait_until

ROOT = Path(__file__).resolve().parent.parent.parent
# The environment variables that a server inherits; no others, so that no SERVICE_* of the machine reaches it.
INHERITED = ("PATH", "HOME", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS")
SANITIZER_REPORT = re.compile(
    r"ERROR: (Address|Leak|Undefined\w*|Thread)\w*Sanitizer|WARNING: ThreadSanitizer|"
    r"runtime error: |Assertion .* failed"
)

PORTS_TRIED = 3


def binary() -> Path:
    return Path(os.environ.get("MB_SERVER", ROOT / "build" / "release" / "bin" / "manybase"))


def store_settings(data: Path) -> dict:
    """Returns the settings by which servers and commands find the store of this data directory: those of a database where
    MB_STORE=mongo, none for the embedded engine."""
    return {"MONGO_URL": mongo_server.shared().database_of(data)} if mongo_server.IS_STORE else {}


def stored_with(data: Path, text: str) -> list[str]:
    """Returns what holds the text in the store of this data directory: its files, or the collections of the test's
    databases. Values that a file holds in compressed form are not found."""
    if mongo_server.IS_STORE:
        return mongo_server.shared().holding(text)
    return [file.name for file in (data / "store").iterdir() if text.encode() in file.read_bytes()]


class Server:
    """start() waits until it is ready; stop() ends it and checks how it ended; kill() is kill -9."""

    def __init__(self, folder: Path, settings: dict | None = None, data: Path | None = None):
        self.folder = folder
        self.data = data or folder / "data"
        self.log_path = folder / "server.log"
        self.settings = {"SERVICE_TRUSTED_PROXIES": "127.0.0.0/8", **(settings or {})}
        self.port = 0
        self.process: subprocess.Popen | None = None
        self.http: httpx.Client | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def environment(self) -> dict:
        kept = {name: os.environ[name] for name in INHERITED if name in os.environ}
        own = {
            **store_settings(self.data),
            "SERVICE_LISTEN": f"127.0.0.1:{self.port}",
            "SERVICE_BASE_URL": self.url,
            "SERVICE_DATA_DIR": str(self.data),
            "SERVICE_LOG": "json",
            # The store may repeat the callback of a write: each callback runs twice here, to check that it can be
            # repeated.
            "SERVICE_STORE_CALLBACK_RUNS": "2",
        }
        return {name: value for name, value in {**kept, **own, **self.settings}.items() if value is not None}

    def spawn(self) -> "Server":
        """Starts the process without waiting for it."""
        assert binary().exists(), f"there is no server at {binary()}: build it, or name one in MB_SERVER"
        self.folder.mkdir(parents=True, exist_ok=True)
        if not self.port:
            self.port = free_port()
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [str(binary()), "serve"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                env=self.environment(),
            )
        self.http = httpx.Client(
            base_url=self.url,
            timeout=30 * SLOW,
            trust_env=False,
            # None is surplus or expires: the pool may close such a one just as another thread takes it.
            limits=httpx.Limits(max_connections=256, max_keepalive_connections=256, keepalive_expiry=None),
        )
        return self

    def start(self) -> "Server":
        tries = 1 if self.port else PORTS_TRIED
        while True:
            tries -= 1
            self.spawn()
            try:
                self.wait_ready()
                return self
            except BaseException as wrong:
                self.kill()
                # Another program may take a free port between the choice and the start.
                if tries == 0 or "Address already in use" not in str(wrong):
                    raise
                self.port = 0

    def wait_ready(self, seconds: float = 20) -> None:
        wait_until(self._is_ready, seconds, lambda: f"the server is not ready:\n{self.log()}\n", interval=0.01)

    def _is_ready(self) -> bool:
        if self.process.poll() is not None:
            raise AssertionError(f"the server ended at start, exit code {self.process.returncode}:\n{self.log()}")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/api/v1/ready")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def setup_code(self) -> dict:
        """Returns the additional fields of a first registration; empty once there is a first user."""
        try:
            return {"setupCode": (self.data / "setup-code").read_text().strip()}
        except FileNotFoundError:
            return {}

    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def log(self) -> str:
        return self.log_path.read_text(errors="replace")[-8000:] if self.log_path.exists() else ""

    def logged(self, text: str, seconds: float = 20) -> str:
        """Waits for the first line of the log that contains `text`; a response may arrive before the line about it."""

        def find() -> str | None:
            whole = self.log_path.read_text(errors="replace").rpartition("\n")[0]
            return next((line for line in whole.splitlines() if text in line), None)

        return wait_until(find, seconds, lambda: f"{text!r} is not in the log:\n{self.log()}\n", interval=0.01)

    def stop(self, seconds: float = 15) -> None:
        """Sends SIGTERM; fails if the server does not exit with success, or left a sanitizer's report."""
        if self.process is None:
            return
        self._close_client()
        if self.alive():
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(seconds * SLOW)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"the server did not stop within {seconds} s:\n{self.log()}") from None
        finally:
            self.process = None
        found = SANITIZER_REPORT.search(self.log_path.read_text(errors="replace"))
        if found:
            text = self.log_path.read_text(errors="replace")
            raise AssertionError(f"the server's log holds a report:\n{text[max(0, found.start() - 300) :][:6000]}")
        assert code == 0, f"the server ended with exit code {code}:\n{self.log()}"

    def kill(self) -> None:
        self._close_client()
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
            if mongo_server.IS_STORE:
                leases_end_in(mongo_server.LEASE_SECONDS)

    def _close_client(self) -> None:
        if self.http is not None:
            self.http.close()
            self.http = None


def check_data(data: Path) -> subprocess.CompletedProcess:
    """Runs `manybase check` on a data directory that no server uses."""
    kept = {name: os.environ[name] for name in INHERITED if name in os.environ}
    return subprocess.run(
        [str(binary()), "check", "--data", str(data)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120 * SLOW,
        env={**kept, **store_settings(data)},
    )
