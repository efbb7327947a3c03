"""docs/own-database-tutorial.md, word for word: its commands are run in one shell, on the server and the database of the test."""

import os
import re
import sys
from pathlib import Path

import pytest

from support.mongo_server import REQUIREMENTS
from support.node_packages import BIN
from support.own_database import as_their_owner, fresh
from support.server import ROOT
from support.walkthrough import fenced, follow

PAGE = (ROOT / "docs" / "own-database-tutorial.md").read_text()
# The machine's settings of npm and Node.js, such as a registry and its certificates; the walk-through has a home of its own.
OF_NPM = re.compile(r"npm_config_\w+|NODE_EXTRA_CA_CERTS|(https?|no)_proxy", re.I)
NPM = {name: value for name, value in os.environ.items() if OF_NPM.fullmatch(name)}
NPM.setdefault("npm_config_userconfig", str(Path.home() / ".npmrc"))


def commands(server, address: str) -> list[str]:
    """The blocks, with the addresses of the test, and the Python of its packages in place of a new environment."""
    out = []
    for block in fenced(PAGE, "sh"):
        block = block.replace("http://localhost:8090", server.url)
        block = re.sub(r"^MONGO=.*$", f"MONGO='{address}'", block, flags=re.M)
        block = re.sub(r"^(python3 -m venv atlas|atlas/bin/pip install .*)\n", "", block, flags=re.M)
        out.append(block.replace("atlas/bin/python", sys.executable))
    return out


@pytest.mark.timeout(300)
def test_the_tutorial(make_server, server_settings, mongo, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{BIN}:{Path('/usr/bin')}:{Path('/bin')}")
    server = make_server({"SERVICE_TRUSTED_PROXIES": None, **server_settings}).start()
    address = fresh(mongo)
    with as_their_owner(address) as theirs:
        made = follow(commands(server, address), tmp_path, **NPM)
        for block in made:
            assert block.statuses == block.expected, block
        whole = "".join(block.output for block in made)
        assert "250 countries\n" in whole and '"verdict":"needs-backfill"\n' in whole
        assert '"common":"Sweden"\n"common":"Finland"\n"common":"Norway"\n' in whole
        assert "live\nupdate: Sweden, seen\n" in whole
        looked = re.findall(r"(\d+) with a note\n(\d+) with an id\n", whole)
        assert looked == [("1", "1"), ("1", "250")]
        assert theirs.countries.find_one({"note": "seen"})["cca2"] == "SE"
        assert address not in whole


def test_its_versions_are_those_of_the_tests():
    wanted = REQUIREMENTS.read_text()
    for line in ("SecantusDB", "pymongo"):
        version = re.search(rf"^{line}==\S+$", wanted, re.M).group()
        assert version in PAGE, version
