"""What the long runs share."""

import os

import processes
import runners
from processes import BUILD
from runners import Tally


def build_failures(preset: str, *targets: str) -> list[Tally]:
    """Builds the targets; returns what does not build as a failure, which it shows."""
    broken = processes.build(preset, *targets)
    if not broken:
        return []
    tally = Tally(f"{preset} build")
    tally.fail(broken)
    tally.show()
    return [tally]


def with_release(work) -> list[Tally]:
    if unbuilt := build_failures("release"):
        return unbuilt
    tally = work(BUILD / "release" / "bin" / "manybase")
    if tally is None:
        tally = Tally("missing")
        tally.fail("the folder has no command for this")
    tally.show()
    return [tally]


def marked(run: str) -> list[Tally]:
    """The whole-server tests with the mark long(run=...) of this run."""
    arguments = ["-m", f"long(run='{run}')"]
    return with_release(
        lambda server: runners.PytestRun(server, run, None, arguments, os.cpu_count() or 1, name=run).result(3600)
    )
