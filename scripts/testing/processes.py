"""Child processes that never outlive this one: each in a session of its own, ended as a whole, by id."""

import atexit
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / "build"

_running: set[subprocess.Popen] = set()


def _lower() -> None:
    """Leaves the cores to the tests. Where the kernel groups sessions, only the group's own value does."""
    os.nice(10)
    try:
        Path("/proc/self/autogroup").write_text("10")
    except OSError:
        pass


def start(
    command: list, log: Path, env: dict | None = None, cwd: Path = ROOT, background: bool = False
) -> subprocess.Popen:
    """Starts `command` with its whole output in `log`; in the background, with the time that others leave."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "wb") as out:
        process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            cwd=cwd,
            # Tests fail, and do not skip, where a part that they need is missing.
            env={**os.environ, "MB_REQUIRE_ALL": "1", **(env or {})},
            start_new_session=True,
            preexec_fn=_lower if background else None,
        )
    _running.add(process)
    return process


def finish(process: subprocess.Popen, seconds: float) -> int | None:
    """The exit code, or None when it had to be ended after `seconds`."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        end(process)


def run(command: list, log: Path, seconds: float, env: dict | None = None) -> int | None:
    return finish(start(command, log, env), seconds)


def end(process: subprocess.Popen) -> None:
    """Ends the process and whatever it started that is still there."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
        except ProcessLookupError:
            break
        limit = time.monotonic() + 3
        while time.monotonic() < limit:
            process.poll()
            try:
                os.killpg(process.pid, 0)
            except ProcessLookupError:
                break
            time.sleep(0.02)
    process.wait()
    _running.discard(process)


def _end_all() -> None:
    for process in list(_running):
        end(process)


def _stop(number, _frame) -> None:
    _end_all()
    sys.exit(128 + number)


atexit.register(_end_all)
for _number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(_number, _stop)


def tail(log: Path, lines: int = 40) -> str:
    try:
        return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
    except OSError:
        return ""


def stage(text: str) -> None:
    print(f"==> {text}", flush=True)


def build(preset: str, *targets: str) -> str | None:
    """Builds all of a preset, or some targets of it; what went wrong, or None."""
    stage(f"Building preset {preset} (the first time takes some minutes)")
    began = time.monotonic()
    log = BUILD / f"scripts-build-{preset}.log"
    if run([ROOT / "scripts" / "build", preset, *targets], log, 3600) != 0:
        return tail(log, 80)
    print(f"    built in {time.monotonic() - began:.0f} s", flush=True)
    return None


def commit() -> str:
    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True).stdout.strip()

    return (git("rev-parse", "--short=10", "HEAD") or "unknown") + ("+changes" if git("status", "--porcelain") else "")
