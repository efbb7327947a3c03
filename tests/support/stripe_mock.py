"""The payment provider's own mock server (github.com/stripe/stripe-mock): it refuses requests that its interface does not
have, and responds with the provider's examples."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import httpx

from support.installing import one_at_a_time
from support.parts import missing_part
from support.ports import free_port
from support.server import ROOT
from support.waiting import wait_until

# go.mod and go.sum with the version and the hashes. Newer versions need a newer Go than Debian 12 has.
SOURCE = ROOT / "tests" / "billing" / "payments" / "stripe_mock"
SECRET_KEY = "sk_test_123"
HANDLED = re.compile(r"^Request: (\w+) (\S+)$\n(?:(?!Request: ).*\n)*?^Response: elapsed=\S+ status=(\d+)$", re.M)


def _with_plan(example):
    """The provider's example with the price of the plan pro, wherever it has a price."""
    if isinstance(example, list):
        return [_with_plan(each) for each in example]
    if not isinstance(example, dict):
        return example
    plan = {"lookup_key": "pro"} if example.get("object") == "price" else {}
    return {**{name: _with_plan(value) for name, value in example.items()}, **plan}


def built() -> Path:
    """Builds it, and the examples next to it, where that was not done with this version. Skips the test without Go."""
    folder = ROOT / "build" / "stripe-mock"
    program, marker = folder / "stripe-mock", folder / "go.sum"
    wanted = (SOURCE / "go.sum").read_text()
    with one_at_a_time(folder):
        if program.exists() and marker.exists() and marker.read_text() == wanted:
            return program
        go = shutil.which("go") or missing_part("go (the package golang-go), which builds stripe-mock,")
        folder.mkdir(parents=True, exist_ok=True)
        _go(go, "build", "-o", program, "github.com/stripe/stripe-mock")
        source = Path(_go(go, "list", "-m", "-f", "{{.Dir}}", "github.com/stripe/stripe-mock").strip())
        examples = json.loads((source / "embedded" / "openapi" / "fixtures3.json").read_text())
        (folder / "examples.json").write_text(json.dumps(_with_plan(examples)))
        marker.write_text(wanted)
    return program


def _go(go: str, *arguments) -> str:
    ran = subprocess.run(
        [go, *arguments],
        cwd=SOURCE,
        env={**os.environ, "GOFLAGS": "-mod=readonly -buildvcs=false", "GOTOOLCHAIN": "local", "CGO_ENABLED": "0"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, f"go {arguments[0]} failed for stripe-mock:\n{ran.stdout}{ran.stderr}"
    return ran.stdout


class StripeMock:
    """It runs, on a free port, once this exists."""

    def __init__(self, folder: Path):
        self.log_path = folder / "stripe-mock.log"
        self.url = f"http://127.0.0.1:{(port := free_port())}"
        program = built()
        line = [program, "-http-addr", f"127.0.0.1:{port}", "-fixtures", program.parent / "examples.json"]
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_until(self._responds, 30, lambda: f"stripe-mock does not respond:\n{self.log_path.read_text()}\n")

    def _responds(self) -> bool:
        assert self.process.poll() is None, f"stripe-mock ended:\n{self.log_path.read_text()}"
        try:
            return self.call("GET", "/v1/prices").status_code == 200
        except httpx.TransportError:
            return False

    def call(self, method: str, path: str, **form: str) -> httpx.Response:
        headers = {"authorization": f"Bearer {SECRET_KEY}"}
        return httpx.request(method, self.url + path, data=form or None, headers=headers, trust_env=False, timeout=30)

    def handled(self) -> list[tuple[str, str, int]]:
        """Method, path and status of the requests that it responded to."""
        return [(method, path, int(status)) for method, path, status in HANDLED.findall(self.log_path.read_text())]

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
