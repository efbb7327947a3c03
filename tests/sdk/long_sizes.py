"""The size of the SDK next to those of other platforms' clients, measured in the same way. Not of ./test, which needs none
of them: ./test long sdk. docs/sdk.md has the figures."""

import json
import re

from support.node_packages import installed
from support.sdk_package import node
from support.server import ROOT

OTHERS = ROOT / "tests" / "sdk" / "others"
GUIDE = ROOT / "docs" / "sdk.md"


def test_sizes(package):
    done = node(package, "scripts/sizes.mjs", "--others", str(installed(OTHERS, "sdk-others")))
    assert done.returncode == 0, done.stdout + done.stderr
    kib = {name: size["bytes"] / 1024 for name, size in json.loads(done.stdout).items()}
    versions = json.loads((OTHERS / "package.json").read_text())["dependencies"]
    print("KiB: " + ", ".join(f"{name} {kib[name]:.1f}" for name in ("main", "live", "whole", *versions)))
    text = GUIDE.read_text()
    for name, version in versions.items():
        [shown] = re.findall(rf"^\| `{re.escape(name)}` {re.escape(version)} \|[^|]*\| ([\d.]+) \|$", text, re.M)
        assert abs(float(shown) - kib[name]) < 0.06, f"{name}: {kib[name]:.1f} KiB, the guide says {shown}"
    [first, whole] = re.findall(r"^\| `manybase` with `live`[^|]*\|[^|]*?([\d.]+) \| ([\d.]+) \|$", text, re.M)[0]
    assert abs(float(first) - kib["main"] - kib["live"]) < 0.11 and abs(float(whole) - kib["whole"]) < 0.06, kib


def test_the_lock_file_names_no_registry():
    assert '"resolved"' not in (OTHERS / "package-lock.json").read_text()
