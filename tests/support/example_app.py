"""The web app of an example, as a user sees it: its static files and the SDK, from a small server of their own."""

import functools
import http.server
import shutil
import threading
from pathlib import Path

from support.browser import Visitor
from support.node_packages import installed
from support.sdk_package import SDK, node
from support.server import ROOT

PHONE = {"width": 320, "height": 640}
DESK = {"width": 1280, "height": 900}


def build_sdk(target: Path) -> None:
    """Bundles the SDK into one module, as its own build does for pages."""
    entry = SDK / "src" / "index.ts"
    options = ("--bundle", "--minify", "--format=esm", "--platform=browser", "--target=es2022")
    esbuild = "node_modules/esbuild/bin/esbuild"
    built = node(installed(SDK, "sdk"), esbuild, str(entry), *options, f"--outfile={target}")
    assert built.returncode == 0, built.stderr


class _Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class ExampleApp:
    """Serves examples/NAME/web. `configure` says where its backend is."""

    def __init__(self, name: str, folder: Path, sdk: Path):
        self.folder = folder
        shutil.copytree(ROOT / "examples" / name / "web", folder)
        shutil.copy(sdk, folder / "manybase.mjs")
        handler = functools.partial(_Files, directory=folder)
        self._listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._listening.server_port}"
        threading.Thread(target=self._listening.serve_forever, daemon=True).start()

    def configure(self, server: str, project: str) -> None:
        text = f'export const server = "{server}";\nexport const project = "{project}";\n'
        (self.folder / "config.js").write_text(text)

    def stop(self) -> None:
        self._listening.shutdown()
        self._listening.server_close()


def inspect(visitor: Visitor) -> None:
    """Checks the present view, light on a desk and dark on a phone: no finding of axe, no sideways scroll."""
    page = visitor.page
    page.wait_for_selector("main:not([aria-busy])")
    for size, scheme in ((DESK, "light"), (PHONE, "dark")):
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert visitor.accessibility() == [], (page.url, size, scheme)
        content, window = page.evaluate("[document.scrollingElement.scrollWidth, innerWidth]")
        assert content <= window, (page.url, size)
    page.set_viewport_size(DESK)
    page.emulate_media(color_scheme="light")
