"""A server that signs in through a real OpenID Connect provider, a stand-in for GitHub, and issuers of the tests."""

import pytest

from support.client import ok
from support.oauth_flow import APP, set_up
from support.oidc_provider import OidcProvider
from support.providers import GithubStandIn, Issuer
from support.server import Server


@pytest.fixture(scope="module")
def provider():
    provider = OidcProvider()
    yield provider
    provider.stop()


@pytest.fixture(scope="module")
def github():
    github = GithubStandIn()
    yield github
    github.close()


@pytest.fixture(scope="module")
def google():
    issuer = Issuer("google-client")
    yield issuer
    issuer.close()


@pytest.fixture
def issuer():
    issuer = Issuer()
    yield issuer
    issuer.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory, provider, github, google):
    server = Server(
        tmp_path_factory.mktemp("server"),
        {
            "SERVICE_OUTBOUND_ALLOW": "127.0.0.0/8",
            "SERVICE_OAUTH_GITHUB_URL": github.url,
            "SERVICE_OAUTH_GOOGLE_ISSUER": google.url,
            "SERVICE_CONTROL_OAUTH_GITHUB_CLIENT_ID": "platform-client",
            "SERVICE_CONTROL_OAUTH_GITHUB_CLIENT_SECRET": "platform-secret",
            "SERVICE_CORS_ORIGINS": "https://console.example.com",
        },
    ).start()
    names = ("oidc-real", "oidc-realec", "oidc-realed")
    provider.start(*[f"{server.url}/api/v1/auth/oauth/{name}/callback" for name in names])
    yield server
    server.stop()


@pytest.fixture(scope="module")
def project(owner):
    project = owner.create_project()
    ok(project.admin.put("/admin/auth/oauth/redirects", {"allowedRedirects": [APP]}), 204)
    set_up(project, "github")
    set_up(project, "google", clientId="google-client")
    return project
