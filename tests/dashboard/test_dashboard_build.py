"""The sources of the dashboard: its unit tests, its colours, and rules of its code."""

import itertools
import posixpath
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from support.hosted_pages import contrast
from support.node_packages import BIN, WITH_NODE, installed
from support.server import ROOT

WEB = ROOT / "web"
SOURCES = sorted(path for ending in ("*.ts", "*.tsx") for path in (WEB / "src").rglob(ending))


def test_units():
    folder = installed(WEB, "dashboard-tests/web")
    for name in ("src", "tsconfig.json", "vite.config.ts"):
        target = folder / name
        if (WEB / name).is_dir():
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(WEB / name, target)
        else:
            shutil.copy(WEB / name, target)
    examples = [source.relative_to(ROOT) for source in ROOT.glob("examples/*/manybase")]
    for name in (Path("sdk/typescript/src"), *examples):
        shutil.rmtree(folder.parent / name, ignore_errors=True)
        shutil.copytree(ROOT / name, folder.parent / name)
    done = subprocess.run([BIN / "npm", "run", "units"], cwd=folder, env=WITH_NODE, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0 and re.search(r"Tests .*passed", done.stdout), done.stdout + done.stderr


# ---- colours

_TOKENS = (WEB / "src" / "styles" / "tokens.css").read_text()
_PARTS = dict(zip(("light", "dark"), re.findall(r"\{(.*?)\n\}", _TOKENS, re.S)))
SCHEMES = {name: dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})\b", part)) for name, part in _PARTS.items()}
GROUNDS = ("canvas", "surface", "sunken", "raised", "hover", "selected")
PAIRS = [
    *itertools.product(("text", "text-2", "text-3", "accent"), GROUNDS),
    ("on-accent", "accent"),
    ("on-accent", "accent-strong"),
    ("accent", "accent-soft"),
    *((name, f"{name}-soft") for name in ("good", "warn", "bad", "info")),
    *((name, ground) for name in ("good", "warn", "bad", "info") for ground in ("surface", "raised")),
    *((f"code-{name}", ground) for name in ("key", "string", "number", "word", "comment", "name") for ground in ("surface", "sunken")),
]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_texts_have_contrast(scheme):
    colours = SCHEMES[scheme]
    low = [(text, ground, round(contrast(colours[text], colours[ground]), 2)) for text, ground in PAIRS if contrast(colours[text], colours[ground]) < 4.5]
    assert low == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_borders_and_focus_have_contrast(scheme):
    colours = SCHEMES[scheme]
    for line, ground in itertools.product(("line-strong", "focus"), ("canvas", "surface", "sunken", "raised")):
        assert contrast(colours[line], colours[ground]) >= 3, (line, ground)


def test_tiles_have_contrast():
    sheet = (WEB / "src/components/ui/tile.module.css").read_text()
    colours = re.findall(r"\.(\w+) \{\n  background: (#[0-9a-f]{6});", sheet)
    assert len(colours) >= 17
    assert [name for name, colour in colours if contrast("#ffffff", colour) < 4.5] == []


# ---- rules

FORBIDDEN = {
    r"dangerouslySetInnerHTML|\.innerHTML\b|\.outerHTML\b|insertAdjacentHTML": "markup out of text",
    r"\beval\(|new Function\b": "code out of text",
    r"https?://(?!www\.w3\.org|\w+\.example\.com)": "an address of another server",
    r"\blocalStorage\b": "storage",
}
# The choice of colours, whether single letters are keys, and the columns of a grid.
KEEPERS = ("lib/scheme.ts", "lib/shortcuts.ts", "features/documents/queries.ts")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(WEB / "src").as_posix())
def test_rules_of_the_code(path):
    text = path.read_text()
    name = path.relative_to(WEB / "src").as_posix()
    if not path.name.endswith(".test.ts"):
        for pattern, what in FORBIDDEN.items():
            if what == "storage" and name in KEEPERS:
                continue
            assert not re.search(pattern, text), what
        assert name == "lib/call-log.ts" or not re.search(r"(?<![\w.])fetch\(", text), "calls go through the SDK"
    imported = re.findall(r'from "([^"]+)"', text)
    folder = name.split("/")[0]
    if not name.startswith("components/ui/") and name != "main.tsx":
        assert not any(one.startswith("@base-ui/") for one in imported), "primitives are wrapped in components/ui"
    if folder == "lib":
        assert not any("components" in one or "features" in one for one in imported), "lib is below the components"
    if folder == "components":
        assert not any("features" in one for one in imported), "components are below the features"
    if folder == "features":
        own = name.split("/")[1]
        reached = (posixpath.normpath(f"{posixpath.dirname(name)}/{one}").split("/") for one in imported if one.startswith("."))
        assert {path[1] for path in reached if path[0] == "features"} <= {own}, "a feature imports no other"
    assert folder == "messages" or len(text.splitlines()) <= 400
