"""Each test is of ./test or of a long run that ./test long lists."""

import re

from support.server import ROOT

LONG_RUNS = "".join(path.read_text() for path in sorted((ROOT / "scripts" / "testing").glob("long_*.py")))
RUNNERS = (ROOT / "scripts" / "testing" / "runners.py").read_text()
TESTS = [path for path in (ROOT / "tests").rglob("*.py") if path.name != "test_long_runs.py"]


def test_each_mark_names_a_run_that_makes_what_it_marks():
    """A mark without a run, or with one that selects no marks, is a test that never runs."""
    marks = {(path.name, mark) for path in TESTS for mark in re.findall(r"mark\.long\b(?:\((.*?)\))?", path.read_text())}
    runs = set(re.findall(r'\bmarked\(\s*"(\w+)"', LONG_RUNS))
    assert {f'run="{run}"' for run in runs} == {mark for _, mark in marks}, marks
    assert runs <= set(re.findall(r'^    "(\w+)": \(', LONG_RUNS, re.M))


def test_each_file_that_pytest_does_not_collect_is_of_a_run():
    files = {path.relative_to(ROOT).as_posix() for path in TESTS if path.name.startswith("long_")}
    assert files
    named = [file for file in files if file in LONG_RUNS + RUNNERS or f'"{file.split("/")[-1][:-3]}"' in LONG_RUNS]
    assert files == set(named)
