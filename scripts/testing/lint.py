"""clang-tidy on the translation units of the release preset: lint.py --all, or those that changed since a commit (HEAD).
A unit that passed is not looked at again while its sources, headers and the checks are the same."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from compile_commands import RELEASE, Stamp, Unit, inputs, units
from processes import ROOT

CHECKS = ROOT / ".clang-tidy"
# Tests keep the closures of their coroutines in fixtures that outlive them.
NOT_IN_TESTS = "-cppcoreguidelines-avoid-capturing-lambda-coroutines"


def changed_since(commit: str) -> set[str]:
    changed = ["git", "diff", "--name-only", "--diff-filter=d", commit, "--", "src", "worker"]
    added = ["git", "ls-files", "--others", "--exclude-standard", "--", "src", "worker"]
    return {
        line for command in (changed, added) for line in subprocess.check_output(command, cwd=ROOT, text=True).split()
    }


def problems_of(unit: Unit, files: list[str]) -> str:
    """What clang-tidy found; "" for nothing. `files`: what the unit is compiled from, as far as it is known."""
    stamp = Stamp("lint", str(unit.file))
    tests = all(source.endswith("_test.cc") for source in unit.sources)
    text = CHECKS.read_text() + unit.command + (NOT_IN_TESTS if tests else "")
    if files and stamp.holds(text, files):
        return ""
    command = ["clang-tidy-19", "--quiet", "-p", RELEASE, *([f"--checks={NOT_IN_TESTS}"] if tests else []), unit.file]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode != 0:
        return done.stdout or done.stderr
    if files:
        stamp.put(text, files)
    return ""


def main() -> int:
    chosen = units()
    if sys.argv[1:] != ["--all"]:
        changed = changed_since(sys.argv[1] if len(sys.argv) > 1 else "HEAD")
        chosen = [unit for unit in chosen if changed.intersection(unit.sources)]
    known = inputs()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda unit: problems_of(unit, known.get(unit.object, [])), chosen))
    problems = [each for each in found if each]
    print("\n".join(problems) or f"    {len(chosen)} units, nothing found")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
