"""Fixtures. One server per module; tests use collections, users and projects of their own."""

import pytest

pytest.register_assert_rewrite("support")

from support.browser import running_chromium  # noqa: E402
from support import mongo_server  # noqa: E402
from support.client import PlatformUser, Project  # noqa: E402
from support.embeddings import Embeddings  # noqa: E402
from support.mail import MailCatcher  # noqa: E402
from support.payment_provider import PaymentProvider  # noqa: E402
from support.receiver import Receiver  # noqa: E402
from support.server import Server  # noqa: E402
from support.upstream import Upstream  # noqa: E402


def pytest_collection_modifyitems(items):
    """Skips the tests of the embedded engine's own where servers keep their data in MongoDB."""
    for item in items if mongo_server.IS_STORE else []:
        if of_embedded := item.get_closest_marker("embedded"):
            item.add_marker(pytest.mark.skip(reason=of_embedded.args[0]))


@pytest.fixture(scope="module", autouse=True)
def databases():
    """Ends the server that holds the databases of the module's servers, after those."""
    yield
    mongo_server.end_shared()


@pytest.fixture
def make_server(tmp_path):
    """Makes servers for tests that start, stop or configure a server themselves. Stops the running ones at the end."""
    made = []

    def make(settings: dict | None = None, **more) -> Server:
        folder = tmp_path / f"server{len(made)}"
        server = Server(folder, settings, **more)
        made.append(server)
        return server

    yield make
    for server in made:
        server.stop()


@pytest.fixture(scope="module")
def mails(tmp_path_factory):
    """A mail server, for modules whose server gets its `settings`."""
    with MailCatcher(tmp_path_factory.mktemp("mail")) as catcher:
        yield catcher


@pytest.fixture(scope="module")
def payments():
    """A payment provider, for modules whose server gets its `settings`."""
    provider = PaymentProvider()
    yield provider
    provider.close()


@pytest.fixture(scope="module")
def server_settings() -> dict:
    """Settings of the module's server; modules and folders override it."""
    return {}


@pytest.fixture(scope="module")
def server(tmp_path_factory, server_settings):
    server = Server(tmp_path_factory.mktemp("server"), server_settings).start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def owner(server) -> PlatformUser:
    """The first platform user of the module's server."""
    return PlatformUser(server)


@pytest.fixture(scope="module")
def project(owner) -> Project:
    return owner.create_project()


@pytest.fixture(scope="module")
def admin(project):
    """The owner's project token."""
    return project.admin


@pytest.fixture(scope="module")
def alice(project):
    return project.end_user()


@pytest.fixture(scope="module")
def bob(project):
    return project.end_user()


@pytest.fixture(scope="module")
def upstream():
    """A stand-in for another service that functions and integrations call."""
    upstream = Upstream()
    yield upstream
    upstream.close()


@pytest.fixture(scope="module")
def receiver():
    """A receiver of webhooks, on this machine."""
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture(scope="module")
def embeddings():
    """A service that makes vectors of text, on this machine."""
    endpoint = Embeddings()
    yield endpoint
    endpoint.close()


@pytest.fixture(scope="module")
def chromium():
    """A browser, in which tests open contexts of their own."""
    with running_chromium() as browser:
        yield browser


@pytest.fixture(autouse=True)
def still_alive(request):
    """Checks that no test ends its module's server."""
    yield
    if "server" in request.fixturenames:
        server = request.getfixturevalue("server")
        assert server.alive(), f"the server died:\n{server.log()}"
