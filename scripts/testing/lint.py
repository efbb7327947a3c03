"""clang-tidy on the translation units of the release preset: lint.py --all, or those that changed since a commit (HEAD).
A unit that passed is not looked at again while its sources, headers and the checks are the same."""

import itertools
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from compile_commands import RELEASE, Stamp, Unit, inputs, units
from processes import ROOT

CHECKS = ROOT / ".clang-tidy"
UNITS_PER_GROUP = 8
# Tests keep the closures of their coroutines in fixtures that outlive them.
NOT_IN_TESTS = "-cppcoreguidelines-avoid-capturing-lambda-coroutines"


def changed_since(commit: str) -> set[str]:
    changed = ["git", "diff", "--name-only", "--diff-filter=d", commit, "--", "src", "worker"]
    added = ["git", "ls-files", "--others", "--exclude-standard", "--", "src", "worker"]
    return {
        line for command in (changed, added) for line in subprocess.check_output(command, cwd=ROOT, text=True).split()
    }


def is_test(unit: Unit) -> bool:
    return all(source.endswith("_test.cc") for source in unit.sources)


def is_of_server(unit: Unit) -> bool:
    return all(source.startswith("src/") for source in unit.sources)


def groups_of(chosen: list[Unit]) -> list[list[Unit]]:
    """Units that are looked at as one: most of the time goes into the headers that they share. Neighbours come into
    different groups, since files of one module may use a name twice. Those of the worker have headers of their own."""
    groups = [[unit] for unit in chosen if not is_of_server(unit)]
    for tests in (False, True):
        alike = [unit for unit in chosen if is_of_server(unit) and is_test(unit) == tests]
        count = -(-len(alike) // UNITS_PER_GROUP)
        groups += [alike[first::count] for first in range(count)]
    return groups


class Lint:
    def __init__(self, scratch: Path):
        self._scratch = scratch
        self._inputs = inputs()

    def passed(self, unit: Unit) -> bool:
        """Whether it passed before, as it is now."""
        files = self._files(unit)
        return bool(files) and self._stamp(unit).holds(self._text(unit), files)

    def problems_of(self, group: list[Unit]) -> list[str]:
        """What clang-tidy found, by units if it is anything."""
        output = self._run(group)
        if not output:
            for unit in group:
                if self._files(unit):
                    self._stamp(unit).put(self._text(unit), self._files(unit))
            return []
        if len(group) == 1:
            return [output]
        half = len(group) // 2
        return self.problems_of(group[:half]) + self.problems_of(group[half:])

    def _run(self, group: list[Unit]) -> str:
        folder = Path(tempfile.mkdtemp(dir=self._scratch))
        file = folder / "group.cc"
        file.write_text("".join(f'#include "{unit.file}"\n' for unit in group))
        # The one with the most folders to include from.
        unit = max(group, key=lambda one: len(one.command))
        command = unit.command.replace(str(unit.file), str(file))
        entry = {"directory": str(RELEASE), "file": str(file), "command": command}
        (folder / "compile_commands.json").write_text(json.dumps([entry]))
        checks = [f"--checks={NOT_IN_TESTS}"] if is_test(unit) else []
        config = f"--config-file={CHECKS}"
        tidy = ["clang-tidy-19", "--quiet", config, "-p", folder, *checks, file]
        done = subprocess.run(tidy, capture_output=True, text=True, cwd=ROOT)
        return "" if done.returncode == 0 else done.stdout or done.stderr

    def _files(self, unit: Unit) -> list[str]:
        """What the unit is compiled from, as far as it is known."""
        return self._inputs.get(unit.object, [])

    def _stamp(self, unit: Unit) -> Stamp:
        return Stamp("lint", str(unit.file))

    def _text(self, unit: Unit) -> str:
        return CHECKS.read_text() + unit.command + (NOT_IN_TESTS if is_test(unit) else "")


def main() -> int:
    chosen = units()
    if sys.argv[1:] != ["--all"]:
        changed = changed_since(sys.argv[1] if len(sys.argv) > 1 else "HEAD")
        chosen = [unit for unit in chosen if changed.intersection(unit.sources)]
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(os.cpu_count()) as pool:
        lint = Lint(Path(scratch))
        groups = groups_of([unit for unit in chosen if not lint.passed(unit)])
        found = list(pool.map(lint.problems_of, groups))
    problems = list(itertools.chain.from_iterable(found))
    print("\n".join(problems) or f"    {len(chosen)} units, nothing found")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
