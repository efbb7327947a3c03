"""Every screen of the dashboard, filled, in four forms, as pictures in build/screens. A screen passes that says nothing in
the console, has no finding of axe, fits into 360 pixels and does not wait for ever. Far too slow for every day, so of
./test long screens alone."""

import os

import pyotp
import pytest

from screens.bookshop import Bookshop
from screens.bookshop_names import AUTHORS, BOOKS
from screens.camera import FOLDER, ROOT, cover, reduced, take
from screens.own_shop import own_shop
from screens.table import SCREENS, TOUR
from support.client import PlatformUser, ok
from support.dashboard import Person
from support.server import Server

COVERS = 14


@pytest.fixture(scope="module")
def server_settings(mails, payments, embeddings):
    return {
        **mails.settings,
        **payments.settings(SERVICE_OPERATORS="ada.marsh@example.com"),
        **embeddings.settings(SERVICE_EMBEDDINGS_MODEL="text-embedding-3-small"),
        "SERVICE_OUTBOUND_ALLOW": "127.0.0.1/32",
        "SERVICE_AUTH_RATE_LIMIT": "100000/60",
    }


@pytest.fixture(scope="module")
def world(server, mails, receiver, upstream, payments, chromium):
    """The server with the shop in it."""
    covers = {}
    for at, (title, author, *_) in enumerate(BOOKS[:COVERS]):
        name = title.lower().replace("'", "").replace(" ", "-") + ".png"
        covers[name] = cover(chromium, title, AUTHORS[author][1], at * 47 % 360)
    shop = Bookshop(server, mails, receiver, upstream, payments, covers)
    with own_shop(shop.ada, shop.paths):
        yield shop


@pytest.fixture(scope="module")
def people(chromium, server, world, tmp_path_factory):
    """Browsers of those who look at the screens, by the names of the table."""
    opened = {}
    empty = Server(tmp_path_factory.mktemp("empty"), {"SERVICE_TRUSTED_PROXIES": None}).start()
    accounts: dict[str, PlatformUser | None] = {
        "ada": world.ada, "auditor": world.auditor, "viewer": world.people["Sara Haddad"], "nobody": None, "newcomer": None,
    }  # fmt: skip
    mia = world.people["Mia Lindqvist"]
    secret = ok(mia.post("/control/auth/mfa/totp/enroll"))["secret"]
    ok(mia.post("/control/auth/mfa/totp/activate", {"code": pyotp.TOTP(secret).now()}))

    def who(name: str) -> Person:
        if name not in opened:
            at = empty if name == "newcomer" else server
            person = opened[name] = Person(chromium.new_context(reduced_motion="reduce", viewport={"width": 1440, "height": 900}), at.url)
            person.paths, person.admin = world.paths, world.admin
            if account := accounts[name]:
                person.sign_in(account)
        return opened[name]

    yield who
    for person in opened.values():
        person.context.close()
    empty.stop()


@pytest.mark.timeout(900)
@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.name)
def test_screen(world, people, screen):
    person = people(screen.who)
    assert take(person, screen, screen.path.format(**world.paths)) == []


@pytest.mark.timeout(900)
@pytest.mark.skipif(not os.environ.get("MB_TOUR"), reason="the pictures of the documentation are taken with MB_TOUR=1")
def test_tour(chromium):
    for name in TOUR:
        size = reduced(chromium, FOLDER / f"{name}-wide-light.png", 1200, ROOT / "docs" / "images" / f"dashboard-{name}.webp")
        assert size < 80_000, (name, size)
