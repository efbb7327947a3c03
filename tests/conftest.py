"""Fixtures. One server a module; tests keep apart by collections, users and projects of their own."""

import pytest

pytest.register_assert_rewrite("support")

from support.client import PlatformUser, Project  # noqa: E402
from support.mail import MailCatcher  # noqa: E402
from support.server import Server  # noqa: E402


@pytest.fixture
def make_server(tmp_path):
    """A maker of servers for tests that start, stop or set up their own. Those still running at the end are stopped."""
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
    """A mail server, for modules whose server is given its `settings`."""
    with MailCatcher(tmp_path_factory.mktemp("mail")) as catcher:
        yield catcher


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("server")).start()
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


@pytest.fixture(autouse=True)
def still_alive(request):
    """No test may bring its module's server down."""
    yield
    if "server" in request.fixturenames:
        server = request.getfixturevalue("server")
        assert server.alive(), f"the server died:\n{server.log()}"
