"""The README's first five minutes, word for word.

Every fenced block ```sh under the heading "Your first app in five minutes" is run, in order, in one shell. Lines that
start the server (./run) are left out: one runs already, and its address stands in for http://localhost:8090.
"""

import re
import subprocess
from pathlib import Path

import pytest

from support.server import SLOW

ROOT = Path(__file__).resolve().parent.parent
HEADING = "Your first app in five minutes"


def blocks() -> list[str]:
    text = (ROOT / "README.md").read_text()
    section = re.search(rf"^(#+) {HEADING}\s*$(.*?)(?=^#{{1,2}} |\Z)", text, re.M | re.S)
    assert section, f"README.md has no heading {HEADING!r}"
    return re.findall(r"^```sh\n(.*?)^```", section.group(2), re.M | re.S)


def test_first_five_minutes(make_server, tmp_path):
    if not (ROOT / "README.md").exists():
        pytest.fail("there is no README.md")
    server = make_server().start()
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
    # The walk ends with a call that is refused on purpose; every other one must go well.
    errors = re.findall(r'\{"error":\{"code":"(\w+)"', ran.stdout)
    assert errors == ["VALIDATION"] and ran.stdout.rindex('{"error"') > ran.stdout.rindex('"document'), shown


def test_commands_of_the_readme_are_there():
    text = (ROOT / "README.md").read_text()
    for command in ("./run", "./test"):
        assert command in text and (ROOT / command).stat().st_mode & 0o100
    for named in set(re.findall(r"(?<![\w/])(?:\./)?((?:scripts|docs|examples|bench|tests|fuzz)/[\w./-]*\w)", text)):
        assert (ROOT / named).exists(), f"README.md names {named}, which is not there"
