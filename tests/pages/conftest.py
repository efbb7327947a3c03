"""A server with a mail catcher, an app on its own origin, a provider, and a real browser."""

import http.server
import threading

import pytest

from support.browser import visiting
from support.client import ok
from support.oidc_provider import OidcProvider


@pytest.fixture(scope="module")
def server_settings(mails):
    """Its mails are caught. All requests of a browser have one address, so the limit per address is high."""
    return {
        **mails.settings,
        "SERVICE_AUTH_RATE_LIMIT": "1000/60",
        "SERVICE_OUTBOUND_ALLOW": "127.0.0.0/8",  # the provider of these tests
    }


class App(http.server.BaseHTTPRequestHandler):
    """An app on an origin of its own."""

    def do_GET(self):
        body = b"<!doctype html><title>The app</title><link rel=icon href=data:,><h1>The app</h1>"
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def app():
    """The app's origin."""
    listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), App)
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{listening.server_port}"
    listening.shutdown()


@pytest.fixture(scope="module")
def project(owner, app):
    """A project with its own look, and with the app's origin among its redirects."""
    project = owner.create_project("Bean & Leaf <Café>")
    ok(owner.patch(f"/control/projects/{project.id}", {"color": "emerald", "icon": "🌱"}), 204)
    ok(project.admin.put("/admin/auth/oauth/redirects", {"allowedRedirects": [app]}), 204)
    return project


@pytest.fixture
def visitor(chromium):
    with visiting(chromium) as visitor:
        yield visitor


@pytest.fixture(scope="module")
def provider(server):
    provider = OidcProvider().start(f"{server.url}/api/v1/auth/oauth/oidc-acme/callback")
    yield provider
    provider.stop()


@pytest.fixture(scope="module")
def with_provider(owner, app, provider):
    """A project whose users may sign in with the provider."""
    project = owner.create_project()
    ok(project.admin.put("/admin/auth/oauth/redirects", {"allowedRedirects": [app]}), 204)
    client = {"clientId": "shop", "clientSecret": provider.secret("shop"), "issuer": provider.issuer, "enabled": True}
    ok(project.admin.put("/admin/auth/oauth/providers/oidc-acme", client), 204)
    off = {"clientId": "x", "clientSecret": "y", "enabled": False}
    ok(project.admin.put("/admin/auth/oauth/providers/google", off), 204)
    return project
