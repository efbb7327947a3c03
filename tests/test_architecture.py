"""Checks rules of the sources: the dependencies between modules, and the contents of source files."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
MODULE_CALL = re.compile(r"mb_module\((\w+)(?:\s+SMALL)?(?:\s+LINKS\s+([^)]*))?\)", re.S)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
EXTERNAL = re.compile(r"^\s*#\s*include\s+<([^>]+)>", re.M)


def without_comments(text: str) -> str:
    return re.sub(r"#.*", "", text)


class Modules:
    """Modules by folder, with the modules that each links, in the order of the build files (lowest first)."""

    def __init__(self):
        self.folders: dict[Path, str] = {}
        self.links: dict[str, set[str]] = {}
        self.order: list[str] = []
        self._read(SRC)

    def _read(self, folder: Path) -> None:
        text = without_comments((folder / "CMakeLists.txt").read_text())
        # In the order of the file: the call of a module, and its subfolders.
        for match in re.finditer(r"add_subdirectory\((\w+)\)|" + MODULE_CALL.pattern, text, re.S):
            if match.group(1):
                self._read(folder / match.group(1))
            else:
                name, links = match.group(2), match.group(3) or ""
                self.folders[folder] = name
                self.links[name] = {link.removeprefix("mb_") for link in links.split() if link.startswith("mb_")}
                self.order.append(name)

    def of(self, path: Path) -> str | None:
        for folder in path.parents:
            if folder in self.folders:
                return self.folders[folder]
        return None

    def reachable(self, name: str) -> set[str]:
        found, waiting = {name}, [name]
        while waiting:
            for link in self.links.get(waiting.pop(), ()):
                if link not in found:
                    found.add(link)
                    waiting.append(link)
        return found


MODULES = Modules()
SOURCES = sorted(path for pattern in ("*.h", "*.cc") for path in SRC.rglob(pattern))
# worker/ is another program and not a module; the rules for all sources hold for it too.
ALL_SOURCES = SOURCES + sorted(path for pattern in ("*.h", "*.cc", "*.js") for path in (ROOT / "worker").rglob(pattern))


def test_every_folder_is_a_module():
    assert len(MODULES.order) >= 14 and len(SOURCES) > 50
    assert {path for path in SOURCES if MODULES.of(path) is None} == set()


@pytest.mark.parametrize("module", MODULES.order)
def test_a_module_links_only_modules_below(module):
    links = MODULES.links[module]
    assert links <= set(MODULES.order), f"{module} links targets that are not modules: {links - set(MODULES.order)}"
    assert module not in set().union(*(MODULES.reachable(link) for link in links)), f"{module} links itself indirectly"
    # Modules inside a module's folder (policy/cel) are declared inside it; all others are in that order.
    for link in links:
        assert MODULES.order.index(link) < MODULES.order.index(module) or _inside(link, module), (
            f"{module} links {link}, which is above it"
        )


def _inside(inner: str, outer: str) -> bool:
    folders = {name: folder for folder, name in MODULES.folders.items()}
    return folders[outer] in folders[inner].parents


def is_for_tests(path: Path) -> bool:
    """Returns whether a source is a test or used by tests only: testing/, suite/, faults/, testing.h, *_fixture.h."""
    return path.stem.endswith(("_test", "_bench", "_fixture", "testing")) or path.parent.name in ("testing", "suite", "faults")


@pytest.mark.parametrize("module", MODULES.order)
def test_includes_go_downward(module):
    """The includes of a source belong to its own module or to one that the module links, directly or indirectly. A test
    may also use test modules, and lower modules without a link."""
    may = MODULES.reachable(module)
    wrong = []
    for path in SOURCES:
        if MODULES.of(path) != module:
            continue
        for included in INCLUDE.findall(path.read_text()):
            target = SRC / included
            if not target.exists():
                wrong.append(f"{path.relative_to(ROOT)} includes {included}, which is not a path from src/")
                continue
            other = MODULES.of(target)
            below = MODULES.order.index(other) <= MODULES.order.index(module)
            if other not in may and not (is_for_tests(path) and (below or other.endswith("_testing"))):
                wrong.append(f"{path.relative_to(ROOT)} includes {included} of the module {other}")
            elif is_for_tests(target) and not is_for_tests(path):
                wrong.append(f"{path.relative_to(ROOT)} includes {included}, which is for tests")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("library, modules", [("boost/beast", {"http"}), ("rocksdb/", {"embedded", "faults"}), ("curl/", {"outbound"}), ("hiredis/", {"redis"}), ("v8", set()), ("seccomp", set())])
def test_libraries_are_known_to_few(library, modules):
    wrong = [
        str(path.relative_to(ROOT))
        for path in SOURCES
        for name in EXTERNAL.findall(path.read_text())
        if name.startswith(library) and MODULES.of(path) not in modules and not path.name.endswith("_test.cc")
    ]
    assert not wrong, f"{library} is included outside {sorted(modules)}: {wrong}"


def test_sources_are_short():
    long = {
        str(path.relative_to(ROOT)): lines for path in ALL_SOURCES if (lines := len(path.read_text().splitlines())) > 500
    }
    assert not long, f"files over 500 lines: {long}"


def test_headers_are_included_once():
    wrong = [
        str(path.relative_to(ROOT))
        for path in SOURCES
        if path.suffix == ".h" and "#pragma once" not in path.read_text()
    ]
    assert not wrong, wrong


def test_nothing_is_left_undone_and_nothing_names_a_machine():
    undone = re.compile(r"\b(TODO|FIXME|XXX|HACK|not implemented|unimplemented)\b", re.I)
    machine = re.compile(r"(?<![\w.])/(work|farm|root|home/\w+)/[\w.-]+")
    wrong = []
    for path in ALL_SOURCES:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if undone.search(line) or machine.search(line):
                wrong.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    assert not wrong, "\n".join(wrong)


CALLBACK = re.compile(r"\[([^\[\]]*(?:\[[^\]]*\][^\[\]]*)*)\]\s*\(\s*const (?:store::)?PreImages&[^)]*\)([^{;]*)")
REFERENCE = re.compile(r"(?:^|,)\s*&\s*(\w*)\s*(=\s*std::as_const\()?")


def test_write_callbacks_may_run_again():
    """They capture by value or by reference to const, and change nothing of their own."""
    wrong, found = [], 0
    for path in SOURCES:
        reports = path == SRC / "store" / "store.h"  # defines writeReturning(), by which the others return values
        if reports or path.name.endswith(("_test.cc", "_suite.cc", "_bench.cc")):
            continue
        for match in CALLBACK.finditer(path.read_text()):
            found += 1
            captures = match.group(1)
            changeable = [name or "&" for name, const in REFERENCE.findall(captures) if not const]
            changeable += re.findall(r"(?:^|,)\s*(this)\b", captures)
            if changeable or "mutable" in match.group(2):
                wrong.append(f"{path.relative_to(ROOT)}: [{' '.join(captures.split())}]")
    assert found > 50 and wrong == []


def test_no_mutex_across_a_wait():
    """A lock in the same block as a later co_await; the scope is derived from the indentation."""
    wrong = []
    for path in SOURCES:
        held: list[tuple[int, int]] = []
        for number, line in enumerate(path.read_text().splitlines(), 1):
            indent = len(line) - len(line.lstrip())
            if line.strip():
                held = [(depth, at) for depth, at in held if indent >= depth]
            if re.search(r"std::(lock_guard|unique_lock|scoped_lock|shared_lock)\b", line):
                held.append((indent, number))
            elif held and "co_await" in line and not line.lstrip().startswith("//"):
                wrong.append(f"{path.relative_to(ROOT)}:{number}: co_await under the lock of line {held[-1][1]}")
    assert not wrong, "\n".join(wrong)


# Sleeps whose length is what the test is about; every other wait is wait_until().
SLEEPS = {
    "tests/support/waiting.py": "the interval of wait_until()",
    "tests/kill/kill_rounds.py": "the server is killed at a random time",
    "tests/config/test_config_kill.py": "the server is killed at a chosen time of an import",
    "tests/test_key_rotation.py": "the command is killed at a chosen time",
    "tests/test_commands.py": "the command is interrupted at a chosen time",
    "tests/functions/test_cron.py": "long: a schedule's minute passes",
    "tests/realtime/test_realtime_resume.py": "long: a client does not read for longer than the limit",
}


def test_only_named_tests_sleep():
    found = set()
    for path in (ROOT / "tests").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            named = isinstance(node, ast.Attribute) and node.attr == "sleep"
            imported = isinstance(node, ast.ImportFrom) and any(each.name == "sleep" for each in node.names)
            if named or imported:
                found.add(str(path.relative_to(ROOT)))
    assert found == set(SLEEPS), "use wait_until() of tests/support/waiting.py; SLEEPS names the exceptions"


# ---- what CONTRIBUTING.md says of adding things


def _quoted(text: str, begin: str, end: str) -> list[str]:
    part = text.split(begin, 1)[1].split(end, 1)[0]
    found = re.findall(r'"([^"]+)"', part)
    assert found, begin
    return found


def test_every_required_permission_is_documented():
    declared = _quoted((ROOT / "src/policy/required_permission.h").read_text(), "kRequiredPermissions = {", "};")
    pages = "".join(path.read_text() for path in (ROOT / "docs").glob("*.md"))
    assert len(declared) >= 25
    assert [name for name in declared if f"`{name}`" not in pages] == []


def test_every_error_code_is_documented():
    wire = re.findall(r"Row\{ErrorCode::\w+, \{(\d+), \"([A-Z_]+)\"\}\}", (ROOT / "src/base/error.cc").read_text())
    table = (ROOT / "docs/api.md").read_text().split("| Status |", 1)[1].split("\n\n", 1)[0]
    assert len(wire) >= 35
    missing = [
        f"{status} {code}"
        for status, code in wire
        if not re.search(rf"^\| {status} \|.*`{code}`", table, re.M)
    ]
    assert missing == [], f"docs/api.md does not list {missing}"


def test_every_section_of_a_configuration_has_its_kind():
    names = re.findall(r'^    \{"(\w+)", "', (ROOT / "src/configuration/sections.cc").read_text(), re.M)
    assert len(names) >= 9
    kinds = "".join(path.read_text() for path in (ROOT / "src").rglob("*_kind.*"))
    assert [name for name in names if f'"{name}"' not in kinds] == []
