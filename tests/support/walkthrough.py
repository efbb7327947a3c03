"""Walk-throughs of pages: the fenced blocks of shell commands in them, run in one shell as a reader runs them."""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from support.server import INHERITED, binary
from support.waiting import SLOW

CALL = re.compile(r"^(\d{3}) ([A-Z]+) http", re.M)  # what `json` prints of a call on standard error
_BETWEEN = "=== the next block"


def section(text: str, heading: str) -> str:
    """Returns what is below a heading of a page, up to the next heading of its level or above."""
    found = re.search(rf"^(#+) {re.escape(heading)}\s*$", text, re.M)
    assert found, f"there is no heading {heading!r}"
    rest = text[found.end() :]
    end = re.search(rf"^#{{1,{len(found.group(1))}}} ", rest, re.M)
    return rest[: end.start()] if end else rest


def fenced(text: str, language: str) -> list[str]:
    """Returns the fenced blocks of a language in a text."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)


@dataclass
class Block:
    """A block of commands and what it printed."""

    commands: str
    output: str
    errors: str

    @property
    def expected(self) -> list[int]:
        """The statuses in the comments behind the calls."""
        return [int(status) for status in re.findall(r"\s# (\d{3})\b", self.commands)]

    @property
    def statuses(self) -> list[int]:
        return [int(status) for status, _ in CALL.findall(self.errors)]

    def __str__(self) -> str:
        return f"{self.commands}\n--- output\n{self.output}\n--- errors\n{self.errors}"


def follow(commands: list[str], folder: Path, **variables: str) -> list[Block]:
    """Runs the blocks in one shell in `folder`, with the program `manybase` and a home of its own. A command that fails
    ends it and fails the test."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    between = f"echo '{_BETWEEN}'; echo '{_BETWEEN}' >&2\n"
    kept = {name: os.environ[name] for name in INHERITED if name in os.environ}
    own = {"PATH": f"{binary().parent}:{os.environ['PATH']}", "HOME": str(home)}
    ran = subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", between.join(commands)],
        cwd=folder,
        env={**kept, **own, **variables},
        capture_output=True,
        text=True,
        timeout=80 * SLOW,
        stdin=subprocess.DEVNULL,
    )
    printed = zip(commands, ran.stdout.split(f"{_BETWEEN}\n"), ran.stderr.split(f"{_BETWEEN}\n"))
    made = [Block(*each) for each in printed]
    assert ran.returncode == 0, f"exit code {ran.returncode} in\n{made[-1]}"
    return made
