"""The walk-through of the README, word for word.

Every fenced block ```sh under the heading "Your first app in five minutes" is run, in order, in one shell. Lines that
start the server (./run) are left out: the test starts one, and its address replaces http://localhost:8090.
"""

import re
import subprocess
from pathlib import Path

import httpx
import pytest

from support.waiting import SLOW
from support.walkthrough import fenced, section

ROOT = Path(__file__).resolve().parent.parent
HEADING = "Your first app in five minutes"


def blocks() -> list[str]:
    return fenced(section((ROOT / "README.md").read_text(), HEADING), "sh")


def test_first_five_minutes(make_server, tmp_path):
    if not (ROOT / "README.md").exists():
        pytest.fail("README.md does not exist")
    server = make_server({"SERVICE_TRUSTED_PROXIES": None}).start()  # as ./run does
    lines = [line for block in blocks() for line in block.splitlines() if not re.match(r"\s*(\$ )?\./run\b", line)]
    script = (
        "\n".join(lines)
        .replace("http://localhost:8090", server.url)
        .replace("localhost:8090", f"127.0.0.1:{server.port}")
    )
    assert "curl" in script, "the section calls nothing"
    ran = subprocess.run(
        ["bash", "-u", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60 * SLOW,
        stdin=subprocess.DEVNULL,
    )
    shown = f"{script}\n--- output\n{ran.stdout}\n--- errors\n{ran.stderr}"
    assert ran.returncode == 0, shown
    assert '"document":{' in ran.stdout and '"documents":[{' in ran.stdout, f"no document was shown:\n{shown}"
    # Every call shows its status, also if the response has no body.
    calls = re.findall(r"^(\d{3}) ([A-Z]+) http", ran.stderr, re.M)
    assert calls.count(("204", "PUT")) == 2 and ("204", "PATCH") in calls, shown
    assert len(calls) == len(ran.stderr.splitlines()), f"unexpected lines on standard error:\n{shown}"
    # The page that it names exists, also once the deployment has a second project.
    page = re.search(r"in a browser: (\S+)", ran.stdout).group(1)
    token = re.search(r'"accessToken":"([^"]+)"', login(server)).group(1)
    second = httpx.post(
        f"{server.url}/api/v1/control/projects", json={"name": "Second"}, headers={"authorization": f"Bearer {token}"}
    )
    assert second.status_code == 201 and httpx.get(page).status_code == 200
    # The last call is refused on purpose; all others must succeed.
    errors = re.findall(r'\{"error":\{"code":"(\w+)"', ran.stdout)
    assert errors == ["VALIDATION"] and ran.stdout.rindex('{"error"') > ran.stdout.rindex('"document'), shown


def login(server) -> str:
    """Signs in again with the login of the walk-through."""
    text = (ROOT / "README.md").read_text()
    body = re.search(r"control/auth/login -d '(.*?)'", text).group(1)
    answer = httpx.post(
        f"{server.url}/api/v1/control/auth/login", content=body, headers={"content-type": "application/json"}
    )
    return answer.text


def test_a_step_that_failed_is_shown():
    helpers = next(block for block in blocks() if "pick()" in block)
    script = helpers + """\nA=$(echo '{"id":"x"}' | pick id); B=$(echo '{"error":"no"}' | pick id); echo "<$A$B>\""""
    ran = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=30 * SLOW)
    assert ran.stdout == "<x>\n" and ran.stderr == 'no id in the response: {"error":"no"}\n'


def test_the_examples_have_the_same_helpers():
    helpers = (ROOT / "examples/helpers.sh").read_text()
    for function in re.split(r"\n(?=\w+\(\) )", next(block for block in blocks() if "pick()" in block))[1:]:
        assert function in helpers


def test_run_help_lists_the_settings():
    ran = subprocess.run([ROOT / "run", "--help"], capture_output=True, text=True, timeout=30 * SLOW)
    assert ran.returncode == 0 and ran.stdout.startswith("usage: ./run")
    if (ROOT / "build/release/bin/manybase").exists():
        for setting in ("SERVICE_LISTEN", "SERVICE_DATA_DIR", "SERVICE_TRUSTED_PROXIES"):
            assert re.search(rf"^\s+{setting}\b", ran.stdout, re.M), setting
    else:
        assert "./run build" in ran.stdout


def test_every_page_is_in_the_table():
    text = (ROOT / "README.md").read_text()
    missing = [page.name for page in (ROOT / "docs").glob("*.md") if f"](docs/{page.name})" not in text]
    assert missing == []


def test_every_file_of_a_bundle_is_in_its_table():
    """docs/command-line.md lists all folders of a bundle."""
    table = (ROOT / "docs/command-line.md").read_text().split("## The bundle")[1].split("\n\n")[1]
    sections = (ROOT / "src/configuration/sections.cc").read_text()
    folders = set(re.findall(r'^    \{"\w+", "[^"]*", "(\w+)", "\w+", \w+, ', sections, re.M))
    assert {"collections", "webhooks"} <= folders
    for folder in folders:
        assert f"`{folder}/NAME.json`" in table, folder


def test_commands_of_the_readme_are_there():
    text = (ROOT / "README.md").read_text()
    for command in ("./run", "./test"):
        assert command in text and (ROOT / command).stat().st_mode & 0o100
    for named in set(re.findall(r"(?<![\w/])(?:\./)?((?:scripts|docs|examples|bench|tests|fuzz)/[\w./-]*\w)", text)):
        assert (ROOT / named).exists(), f"README.md names {named}, which does not exist"
