"""Runs the program's commands, such as `manybase backup`."""

import json
import os
import subprocess
from pathlib import Path

from support.server import INHERITED, binary, store_settings
from support.waiting import SLOW


def environment(data: Path | None = None, settings: dict | None = None) -> dict:
    """Returns the environment of a command on the store of this data directory."""
    kept = {name: os.environ[name] for name in INHERITED if name in os.environ}
    return {**kept, **(store_settings(data) if data else {}), **(settings or {})}


def line_of(command: str, *arguments, data: Path | None = None) -> list[str]:
    """Returns the command line. `command` may be a command of a group: "keys rotate"."""
    return [str(binary()), *command.split(), *(["--data", str(data)] if data else []), *map(str, arguments)]


def run(
    command: str,
    *arguments,
    data: Path | None = None,
    settings: dict | None = None,
    cwd=None,
    prefix=(),
    typed: str | None = None,
):
    """Runs a command of the program to its end. `typed` is its standard input."""
    source = {"stdin": subprocess.DEVNULL} if typed is None else {"input": typed}
    return subprocess.run(
        [*prefix, *line_of(command, *arguments, data=data)],
        **source,
        capture_output=True,
        text=True,
        timeout=120 * SLOW,
        cwd=cwd,
        env=environment(data, settings),
    )


def done(ran: subprocess.CompletedProcess) -> str:
    """Checks that the command succeeded without output on standard error; returns its output."""
    assert ran.returncode == 0, (ran.args, ran.returncode, ran.stdout, ran.stderr)
    assert ran.stderr == "", ran.stderr
    return ran.stdout


def result(ran: subprocess.CompletedProcess) -> dict:
    """Returns the result of a command with --json, which shows its progress where it takes longer than a second."""
    assert ran.returncode == 0, (ran.args, ran.returncode, ran.stdout, ran.stderr)
    assert all(line.startswith('{"progress":') for line in ran.stderr.splitlines()), ran.stderr
    return json.loads(ran.stdout)


def complains(ran: subprocess.CompletedProcess, about: str, code: int = 1) -> str:
    """Checks that there is one line on standard error that contains `about`, and nothing on standard output."""
    assert ran.returncode == code, (ran.args, ran.returncode, ran.stdout, ran.stderr)
    assert ran.stdout == "", ran.stdout
    assert len(ran.stderr.strip().splitlines()) == 1, ran.stderr
    assert ran.stderr.startswith("manybase: ") and about in ran.stderr, ran.stderr
    return ran.stderr
