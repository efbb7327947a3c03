"""Compiles headers alone: those that no source includes first, or with --all every header. A header that passed is not
compiled again while what it includes is the same."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from compile_commands import RELEASE, Stamp, Unit, units
from processes import ROOT

FOLDERS = ("src", "worker")


def headers() -> list[str]:
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.h")]
    return sorted(str(path.relative_to(ROOT)) for path in found)


def included_first() -> set[str]:
    """Headers that a source file includes before anything else: its compilation checks them."""
    found = set()
    for folder in FOLDERS:
        for source in (ROOT / folder).rglob("*.cc"):
            first = re.search(r'^#include (["<])([^">]+)', source.read_text(), re.MULTILINE)
            if first and first[1] == '"':
                found.add(f"{folder}/{first[2]}")
    return found


def unit_for(header: str, every: list[Unit]) -> Unit | None:
    """A unit of the header's folder, with tests if the header is for tests."""
    folder = str(Path(header).parent)
    beside = [unit for unit in every if any(str(Path(source).parent) == folder for source in unit.sources)]
    testing = any(word in header for word in ("fixture", "testing", "random_", "suite", "fake_"))
    beside.sort(key=lambda unit: ("_test.dir" in str(unit.file) or "_test.dir" in unit.object) != testing)
    return beside[0] if beside else None


def problems_of(header: str, every: list[Unit]) -> str:
    """The compiler's errors; "" for none."""
    unit = unit_for(header, every)
    if unit is None:
        return f"{header}: no source file in its folder says how it is compiled"
    words = [word for word in shlex.split(unit.command) if word not in ("-c", str(unit.file))]
    words = words[next(i for i, word in enumerate(words) if "clang" in word) :]
    at = words.index("-o")
    del words[at : at + 2]
    stamp = Stamp("headers", header)
    seen = RELEASE / "headers" / (header.replace("/", "_") + ".d")
    text = " ".join(words)
    if seen.exists() and stamp.holds(text, files_in(seen)):
        return ""
    seen.parent.mkdir(exist_ok=True)
    with tempfile.NamedTemporaryFile("w", suffix=".cc") as source:
        source.write(f'#include "{header.split("/", 1)[1]}"\n')
        source.flush()
        command = [*words, "-fsyntax-only", "-MD", "-MF", seen, source.name]
        done = subprocess.run(command, capture_output=True, text=True, cwd=RELEASE)
    if done.returncode != 0:
        return f"{header} does not compile alone:\n{done.stderr}"
    stamp.put(text, files_in(seen))
    return ""


def files_in(depfile: Path) -> list[str]:
    listed = depfile.read_text().replace("\\\n", " ").split(":", 1)[1].split()
    return [name for name in listed if Path(RELEASE / name).is_relative_to(ROOT)]


def main() -> int:
    chosen = headers()
    if sys.argv[1:] != ["--all"]:
        covered = included_first()
        chosen = [header for header in chosen if header not in covered]
    every = units()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda header: problems_of(header, every), chosen))
    problems = [each for each in found if each]
    print("\n".join(problems) or f"    {len(chosen)} headers compile alone")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
