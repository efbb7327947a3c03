"""The scenarios of the SDK in Deno and in Bun. Not of ./test: the two programs are 200 MB. ./test long sdk"""

import json
import os
import subprocess

import pytest

from support.node_packages import installed
from support.sdk_package import scenarios
from support.server import ROOT

# Without a package manager of their own: both find the built package by the manifest of the folder that they run in.
COMMANDS = {
    "deno": ["@deno/linux-x64-glibc/deno", "run", "--allow-all", "--no-remote", "--node-modules-dir=manual"],
    "bun": ["@oven/bun-linux-x64/bin/bun", "run"],
}


@pytest.mark.parametrize("runtime", COMMANDS)
@pytest.mark.timeout(1_200)
def test_scenarios(package, setup, tmp_path, runtime):
    program, *options = COMMANDS[runtime]
    program = installed(ROOT / "tests" / "sdk" / "runtimes", "sdk-runtimes") / "node_modules" / program
    program.chmod(0o755)
    # HOME: what they keep of compiled modules. Nothing is reported or asked of the network.
    environment = {**os.environ, "HOME": str(tmp_path), "DENO_NO_UPDATE_CHECK": "1", "DO_NOT_TRACK": "1"}
    done = subprocess.run(
        [program, *options, "test/run.mjs", *os.environ.get("MB_SCENARIOS", "").split()],
        cwd=package,
        env=environment,
        input=json.dumps(setup),
        capture_output=True,
        text=True,
        timeout=1_100,
    )
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-4_000:]
    failed = [f"{each['name']}: {each['error']}" for each in found if each.get("error")]
    assert not failed, f"{len(failed)} of {len(found)}\n" + "\n".join(failed)
    if "MB_SCENARIOS" not in os.environ:
        assert sorted(each["name"] for each in found) == scenarios("scenarios")
    print(f"{runtime}: {len(found)} scenarios in {sum(each['ms'] for each in found) / 1000:.0f} s")


def test_the_lock_file_names_no_registry():
    assert '"resolved"' not in (ROOT / "tests" / "sdk" / "runtimes" / "package-lock.json").read_text()
