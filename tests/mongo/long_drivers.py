"""The server of our tests, examined by tests that others wrote: those of MongoDB's driver for Python, which hold the
specification tests of all drivers. What fails stands in driver-failures.txt."""

import hashlib
import os
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

from support.mongo_server import ROOT, MongoServer

pytestmark = pytest.mark.timeout(7200)

HERE = Path(__file__).parent
FOLDER = ROOT / "build" / "driver-tests"
SOURCE = "pymongo-4.20.0"
SHA256 = "f773b0aec28687587cdeda490463a82debc4566a4a3620dcc8dada9d2c0a1acd"
FILES = (
    "change_stream",
    "collection_management",
    "crud_unified",
    "crud_v1",
    "read_write_concern_spec",
    "retryable_reads",
    "retryable_reads_unified",
    "retryable_writes",
    "retryable_writes_unified",
    "run_command",
    "session",
    "sessions_unified",
    "transactions",
    "transactions_unified",
)
# They use port 27017, whatever server is named.
LEFT_OUT = "not TestErrorPropagationAfterEncounteringMultipleErrors"


def run(*line) -> None:
    done = subprocess.run(line, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr


def installed() -> Path:
    """Returns the folder of the driver's tests, with an environment for them beside it."""
    run(sys.executable, "-m", "venv", "--clear", FOLDER / "environment")
    pip = [FOLDER / "environment" / "bin" / "python", "-m", "pip"]
    run(*pip, "install", "-q", "-r", HERE / "driver-requirements.txt")
    run(*pip, "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", FOLDER, SOURCE.replace("-", "=="))
    archive = FOLDER / f"{SOURCE}.tar.gz"
    assert hashlib.sha256(archive.read_bytes()).hexdigest() == SHA256
    with tarfile.open(archive) as source:
        wanted = (f"{SOURCE}/test/", f"{SOURCE}/pyproject.toml")
        source.extractall(FOLDER, [each for each in source if each.name.startswith(wanted)], filter="data")
    return FOLDER / SOURCE


def listed() -> set[str]:
    lines = (HERE / "driver-failures.txt").read_text().splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def test_what_fails_of_the_tests_of_a_driver_is_listed(tmp_path):
    tests = installed()
    report = tmp_path / "report.xml"
    server = MongoServer(tmp_path)
    try:
        done = subprocess.run(
            [FOLDER / "environment" / "bin" / "python", "-m", "pytest", "-q", "-o", "addopts=", "-p", "no:cacheprovider"]
            + ["--timeout=300", f"--junitxml={report}", "-k", LEFT_OUT, *(f"test/test_{name}.py" for name in FILES)],
            cwd=tests,
            env={**os.environ, "DB_IP": "127.0.0.1", "DB_PORT": str(server.port)},
            capture_output=True,
            text=True,
            timeout=5400,
        )
    finally:
        server.stop()
    assert report.exists(), done.stdout + done.stderr
    cases = list(xml.parse(report).iter("testcase"))
    broken = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    names = {f"{case.get('classname').removeprefix('test.')}::{case.get('name')}" for case in broken}
    passed = sum(len(case) == 0 for case in cases)
    print(f"{passed} passed, {len(broken)} failed, {len(cases) - passed - len(broken)} skipped or expected to fail")
    print("no longer failing:", *sorted(listed() - names))
    assert passed > 1000
    assert names <= listed(), "\n".join(sorted(names - listed()))
