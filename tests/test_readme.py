"""The walk-through of the README, word for word.

Every fenced block ```sh under the heading "Your first app in five minutes" is run, in order, in one shell, and the page
in ```html is opened in a browser. Lines that start the server (./run) are left out: the test starts one, and its address
replaces http://localhost:8090.
"""

import functools
import http.server
import re
import subprocess
import threading
from pathlib import Path

import httpx
import pytest

from support.browser import visiting
from support.client import PASSWORD, unique
from support.waiting import SLOW
from support.walkthrough import fenced, section

ROOT = Path(__file__).resolve().parent.parent
HEADING = "Your first app in five minutes"


def blocks() -> list[str]:
    return fenced(section((ROOT / "README.md").read_text(), HEADING), "sh")


@pytest.fixture(scope="module")
def server_settings():
    return {"SERVICE_TRUSTED_PROXIES": None}  # as ./run does


def at(server, text: str) -> str:
    """The text of the README for this server."""
    return text.replace("http://localhost:8090", server.url).replace("localhost:8090", f"127.0.0.1:{server.port}")


@pytest.fixture(scope="module")
def walked(server, tmp_path_factory) -> tuple[str, subprocess.CompletedProcess]:
    """The commands, and what they printed."""
    lines = [line for block in blocks() for line in block.splitlines() if not re.match(r"\s*(\$ )?\./run\b", line)]
    script = at(server, "\n".join(lines))
    assert "curl" in script, "the section calls nothing"
    ran = subprocess.run(
        ["bash", "-u", "-c", script],
        cwd=tmp_path_factory.mktemp("walk"),
        capture_output=True,
        text=True,
        timeout=60 * SLOW,
        stdin=subprocess.DEVNULL,
    )
    return script, ran


def test_first_five_minutes(server, walked):
    script, ran = walked
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


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(params=["file", "web server"])
def page_address(request, server, walked, tmp_path):
    """The page of the README as a file, and on an origin of its own."""
    [page] = fenced(section((ROOT / "README.md").read_text(), HEADING), "html")
    (tmp_path / "notes.html").write_text(at(server, page))
    if request.param == "file":
        yield (tmp_path / "notes.html").as_uri()
        return
    handler = functools.partial(Quiet, directory=tmp_path)
    listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{listening.server_port}/notes.html"
    listening.shutdown()


def notes_of(page):
    return page.get_by_role("listitem")


def sign(page, email: str, button: str) -> None:
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name=button).click()


def add(page, title: str) -> None:
    page.get_by_label("New note").fill(title)
    page.get_by_role("button", name="Add").click()


@pytest.mark.timeout(300)
def test_page_of_the_app(chromium, page_address):
    """Sign-up, a write, a list that is live in two windows, and the notes of one user hidden from another."""
    email = f"{unique('reader')}@example.com"
    with visiting(chromium) as visitor, visiting(chromium) as other:
        page = visitor.page
        for one in (visitor, other):
            one.open(page_address)
        page.get_by_label("Email").wait_for()
        assert visitor.accessibility() == []
        sign(page, email, "Sign in")
        visitor.alert("the email or the password is wrong")
        sign(page, email, "Sign up")
        add(page, "Buy <b>milk</b>")
        notes_of(page).filter(has_text="Buy <b>milk</b>").wait_for()
        assert page.get_by_role("alert").inner_text() == "" and visitor.accessibility() == []

        # A second window has the session, and the changes of the first.
        second = visitor.context.new_page()
        second.goto(page_address)
        notes_of(second).filter(has_text="milk").wait_for()
        add(second, "Call Bob")
        notes_of(page).filter(has_text="Bob").wait_for()
        assert notes_of(page).all_inner_texts() == ["Call Bob", "Buy <b>milk</b>"]

        sign(other.page, f"{unique('reader')}@example.com", "Sign up")
        add(other.page, "Mine")
        notes_of(other.page).filter(has_text="Mine").wait_for()
        assert notes_of(other.page).all_inner_texts() == ["Mine"] and notes_of(page).count() == 2

        page.get_by_role("button", name="Sign out").click()
        second.get_by_label("Email").wait_for()
        assert notes_of(second).count() == 0
        sign(second, email, "Sign in")
        notes_of(second).filter(has_text="Bob").wait_for()


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
