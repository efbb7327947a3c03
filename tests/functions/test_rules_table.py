"""The tests that rules.md names exist."""

import re

import pytest

from support.server import ROOT

NAMED = re.findall(r"`([\w.*]+(?:::\w+)?)`", (ROOT / "tests/functions/rules.md").read_text())
PYTHON = sorted({name for name in NAMED if "::" in name})
UNIT = sorted({name for name in NAMED if re.fullmatch(r"[A-Z]\w+\.[\w*]+", name)})


def test_the_table_is_read():
    assert len(PYTHON) > 80 and len(UNIT) > 10


@pytest.mark.parametrize("name", PYTHON)
def test_a_python_test_is_there(name):
    file, test = name.split("::")
    (found,) = [path for module in ("functions", "integrations", "config") for path in (ROOT / "tests" / module).glob(file)]
    assert re.search(rf"^def {test}\(", found.read_text(), re.MULTILINE), name


@pytest.mark.parametrize("name", UNIT)
def test_a_unit_test_is_there(name):
    suite, test = name.split(".")
    wanted = re.compile(rf"^TEST(_[FP])?\({suite}, {'.*' if test == '*' else test}\)", re.MULTILINE)
    sources = [path for top in ("src", "worker") for path in (ROOT / top).rglob("*_test.cc")]
    assert any(wanted.search(path.read_text()) for path in sources), name
