"""The TypeScript SDK, built from sdk/typescript, against the real server: in Node.js and in Chromium."""

import functools
import http.server
import json
import shutil
import subprocess
import threading
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from support.client import PASSWORD, PlatformUser, ok
from support.mail import Mail, Outbox
from support.node_packages import installed
from support.sdk_package import SDK, node
from support.server import ROOT


@pytest.fixture(scope="session")
def built() -> Path:
    """The folder with the module and the package that the build embeds into the server, of the present sources."""
    made = subprocess.run([ROOT / "scripts" / "fetch-parts"], capture_output=True, text=True, timeout=300)
    assert made.returncode == 0, made.stdout + made.stderr
    return ROOT / "build" / "sdk" / "out"


@pytest.fixture(scope="session")
def package(built, tmp_path_factory) -> Path:
    """The built package with its sources and tests, in a folder of this process: others may run tests of the SDK too."""
    folder = tmp_path_factory.mktemp("sdk")
    (folder / "node_modules").symlink_to(installed(SDK, "sdk-tests") / "node_modules")
    for name in ("src", "scripts", "test"):
        shutil.copytree(SDK / name, folder / name)
    shutil.copy(SDK / "tsconfig.json", folder / "tsconfig.json")
    subprocess.run(["tar", "-xzf", built / "manybase.tgz", "-C", folder, "--strip-components=1"], check=True)
    return folder


class Pages(http.server.SimpleHTTPRequestHandler):
    """An app on an origin of its own: the scenarios as a module, a page that loads it, and the mails to an address."""

    data: Path  # of the server

    PAGE = (
        b"<!doctype html><title>SDK</title><link rel=icon href=data:,>"
        b'<script type=module src="/browser.js"></script><body>'
    )

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path == "/":
            self.send("text/html", self.PAGE)
        elif path == "/mails":
            [address] = parse_qs(query)["to"]
            # Scenarios poll, and there is a mail for each of their users: only those that name the address are parsed.
            texts = [Mail.parse(mail).text for mail in Outbox(self.data).files if address.encode() in mail]
            self.send("application/json", json.dumps(texts).encode())
        else:
            super().do_GET()

    def send(self, content_type: str, content: bytes):
        self.send_response(200)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def pages(package) -> str:
    """The origin of the app."""
    folder = package / "browser"
    bundled = node(package, "scripts/browser.mjs", str(folder))
    assert bundled.returncode == 0, bundled.stderr
    listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Pages, directory=folder))
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{listening.server_port}"
    listening.shutdown()


@pytest.fixture(scope="module")
def server_settings(pages) -> dict:
    """All calls of the SDK have one address, so the limits per address are high; its pages call the admin plane too."""
    return {
        "SERVICE_AUTH_RATE_LIMIT": "100000/60",
        "SERVICE_PUBLIC_RATE_LIMIT": "100000/60",
        "SERVICE_CORS_ORIGINS": pages,
        "SERVICE_OUTBOUND_ALLOW": "127.0.0.0/8",  # the provider of these tests
    }


@pytest.fixture(scope="module")
def setup(server, owner, project, pages) -> dict:
    """What the scenarios need to know. They end sessions of their platform user, who is another one than the tests'."""
    user = PlatformUser(server)
    ok(owner.post(f"/control/projects/{project.id}/members", {"email": user.email, "role": "Admin"}), 201)
    ok(project.admin.put("/admin/auth/oauth/redirects", {"allowedRedirects": [pages]}), 204)
    Pages.data = server.data
    return {
        "url": server.url,
        "project": project.id,
        "adminKey": project.api_key("admin").token,
        "platform": {"email": user.email, "password": PASSWORD},
        "redirect": f"{pages}/",
        "mails": f"{pages}/mails",
    }
