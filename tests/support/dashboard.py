"""A person at the dashboard, in a real browser."""

import re
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

from support.browser import Visitor
from support.client import PASSWORD, PlatformUser
from support.waiting import wait_until


class Person(Visitor):
    """One person's browser at the dashboard of a server. Not even Chromium's own lines about refused requests may be in its
    console, but those that a test expects."""

    def __init__(self, context, url: str):
        super().__init__(context)
        self.url = url
        self.tolerated = []
        context.on("request", self._on_request)

    def _on_request(self, request) -> None:
        if not request.url.startswith((self.url + "/", "data:", "blob:")):
            self.problems.append(f"a request of another server: {request.url}")

    def expect_refusals(self, *statuses: int) -> None:
        """Requests may be refused with these, as after a mistake of the person."""
        self.tolerated += [re.compile(rf"^Failed to load resource: .* status of {status} ") for status in statuses]

    def go(self, path: str = ""):
        return self.page.goto(f"{self.url}/dashboard{path}")

    def sign_in(self, user: PlatformUser, path: str = "") -> None:
        self.go(path)
        self.heading("Sign in to Manybase")
        self.fill(email=user.email, password=PASSWORD)
        self.press("Sign in")
        self.page.get_by_role("banner").wait_for()

    def path(self) -> str:
        """Returns the address below /dashboard."""
        return self.page.url.removeprefix(f"{self.url}/dashboard")

    def focused(self) -> str:
        """Returns what has the focus: its name for readers of the screen, else its text."""
        return self.page.evaluate(
            "(e => e.getAttribute('aria-label') || e.labels?.[0]?.textContent || e.textContent || e.tagName)(document.activeElement)"
        )

    def has_focus(self, name: str) -> None:
        """Waits until what has this name has the focus: a dialog or menu that closes gives it back a moment later."""
        wait_until(lambda: self.focused() == name, 10, lambda: f"the focus is on {self.focused()!r}, not on {name!r}")

    def tab_to(self, name: str, most: int = 40) -> None:
        """Presses Tab until the element with this name has the focus."""
        for _ in range(most):
            if self.focused() == name:
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{most} times Tab do not lead to {name!r}, the last is {self.focused()!r}")

    def type(self, text: str) -> None:
        self.page.keyboard.type(text)

    def key(self, name: str) -> None:
        self.page.keyboard.press(name)

    def look(self) -> None:
        """Checks the screen as it is: axe in both schemes, and a width of 360 pixels."""
        self.page.wait_for_timeout(200)  # of transitions, during which colours are between two values
        wide = self.page.viewport_size
        before = self.page.evaluate("document.documentElement.dataset.scheme")
        for size, scheme in ((wide, "light"), (wide, "dark"), ({"width": 360, "height": 740}, "light")):
            self.page.set_viewport_size(size)
            self.page.evaluate("scheme => { document.documentElement.dataset.scheme = scheme }", scheme)
            self.page.wait_for_timeout(200)
            assert self.accessibility() == [], (size, scheme)
            assert self.overflow() == 0, size
        self.page.evaluate("scheme => { document.documentElement.dataset.scheme = scheme }", before)
        self.page.set_viewport_size(wide)


@contextmanager
def another_tab(person: Person):
    page = person.context.new_page()
    yield page
    page.close()


def verification_token(mails, user: PlatformUser) -> str:
    """Returns the token of the mail that verifies the user's address."""
    return parse_qs(urlsplit(mails.leading_to("/verify-email", user.email).link).query)["token"][0]
