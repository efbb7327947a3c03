"""The first person at a new server."""

from playwright.sync_api import expect

from support.client import PASSWORD

# Requests of this machine do not count as those of a proxy.
HERE = {"SERVICE_TRUSTED_PROXIES": None}


def test_by_keyboard_alone_from_nothing_to_a_project(make_server, opened):
    server = make_server(HERE).start()
    person = opened(server)
    person.go()
    person.heading("Set up this server")
    assert person.path() == "/register"
    expect(person.page.get_by_text("You become the super-admin")).to_be_visible()
    person.type("Ada Marsh")
    person.tab_to("Email address")
    person.type("ada@example.com")
    person.tab_to("Password")
    person.type(PASSWORD)
    person.key("Enter")
    person.page.get_by_role("dialog", name="New project").wait_for()
    person.has_focus("Name")
    person.look()
    person.type("Bookshop")
    person.key("Enter")
    person.heading("Bookshop")
    assert person.path() == "/p/bookshop"
    person.look()
    # The account is there once: the next person signs in.
    other = opened(server)
    other.go("/register")
    other.heading("Create your account")


def test_look_and_mistakes(make_server, opened):
    person = opened(make_server(HERE).start())
    person.expect_refusals(400)
    person.go("/sign-in")
    person.heading("Set up this server")
    person.look()
    person.fill(email="no address", password=PASSWORD)
    person.press("Create the account")
    assert person.error_of("email")
    assert person.page.locator("input[name=email]").input_value() == "no address"
    person.look()
    person.fill(email="ada@example.com", password="short")
    person.press("Create the account")
    assert "8" in person.error_of("password")
    person.has_focus("Password")


def test_from_another_machine_the_code_is_needed(make_server, opened):
    server = make_server().start()
    person = opened(server, extra_http_headers={"x-forwarded-for": "203.0.113.7"})
    person.expect_refusals(403)
    person.go()
    person.heading("Set up this server")
    person.fill(email="ada@example.com", password=PASSWORD, setupCode="wrong")
    person.press("Create the account")
    assert person.error_of("setupCode")
    person.look()
    person.fill(setupCode=server.setup_code()["setupCode"])
    person.press("Create the account")
    person.page.get_by_role("dialog", name="New project").wait_for()
