"""A person at the dashboard, in a real browser."""

import re
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

from support.browser import Visitor
from support.client import PASSWORD, PlatformUser, ok
from support.dashboard_operations import operation_of
from support.waiting import wait_until


class Person(Visitor):
    """One person's browser at the dashboard of a server. Not even Chromium's own lines about refused requests may be in its
    console, but those that a test expects."""

    def __init__(self, context, url: str):
        super().__init__(context)
        self.url = url
        self.tolerated = []
        self.operations: set[str] = set()
        self.elsewhere: list[str] = []  # what addresses of pages begin with to which the dashboard sends the person
        context.on("request", self._on_request)
        context.on("response", self._on_response)

    def _on_request(self, request) -> None:
        if not request.url.startswith((self.url + "/", "data:", "blob:", *self.elsewhere)):
            self.problems.append(f"a request of another server: {request.url}")

    def _on_response(self, response) -> None:
        type = response.headers.get("content-type", "")
        if response.ok and (id := operation_of(response.request.method, urlsplit(response.url).path, type)):
            self.operations.add(id)

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

    def retype(self, text: str) -> None:
        """Replaces the text of the editor that has the focus. As a whole: typed brackets would be completed."""
        self.key("Control+a")
        self.page.keyboard.insert_text(text)

    def write(self, box, text: str) -> None:
        """Replaces the text of an editor."""
        box.click()
        self.retype(text)

    def dialogs(self):
        """Returns the open dialogs; a notice has the same role."""
        return self.page.locator('[role="dialog"]:not([aria-modal="false"])')

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
        wait_until(lambda: self.focused() == name, 30, lambda: f"the focus is on {self.focused()!r}, not on {name!r}")

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
        """Checks the screen as it is, in both schemes and at a width of 360 pixels: all that axe knows, once for each width;
        of the dark scheme the colours, which alone differ."""
        wide = self.page.viewport_size
        before = self.page.evaluate("document.documentElement.dataset.scheme")
        for size, scheme, check in (
            (wide, "light", self.accessibility),
            (wide, "dark", self.contrast),
            ({"width": 360, "height": 740}, "light", self.accessibility),
        ):
            self.page.set_viewport_size(size)
            self.page.evaluate("scheme => { document.documentElement.dataset.scheme = scheme }", scheme)
            # What follows the size is drawn again in the frame after the next.
            self.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            assert check() == [], (size, scheme)
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


def verify(mails, user: PlatformUser) -> None:
    """Verifies the user's address, as who is added to a project must have."""
    ok(user.post("/control/auth/verify-email", {"token": verification_token(mails, user)}), 204)
