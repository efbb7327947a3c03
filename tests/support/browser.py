"""A real browser: Chromium, headless. A page that breaks its content security policy, throws, or logs an error fails
its test."""

import re
from contextlib import contextmanager
from pathlib import Path

import axe_playwright_python
from playwright.sync_api import Browser, BrowserContext, Error, Page, sync_playwright

from support.waiting import SLOW

AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
CHROMIUM = "/usr/bin/chromium"
# Test machines are often containers, where Chromium's own sandbox is not available.
ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking"]
# Milliseconds within which a page must show what a test waits for: long, since a machine may do much else.
PATIENCE = 30_000 * SLOW
# Chromium's own log line for a response that is not a success; the page handles those.
EXPECTED_LOG = re.compile(r"^Failed to load resource: the server responded with a status of 4\d\d ")


@contextmanager
def running_chromium():
    """Gives Chromium, which runs until the block ends."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=ARGUMENTS,
        )
        yield browser
        browser.close()


class Visitor:
    """One person's browser with its own cookies and storage. Use within `visiting`."""

    def __init__(self, context: BrowserContext):
        self.context = context
        self.problems: list[str] = []
        self.tolerated: list[re.Pattern] = [EXPECTED_LOG]
        context.set_default_timeout(PATIENCE)
        context.on("weberror", lambda error: self.problems.append(f"uncaught: {error.error}"))
        context.on("console", self._on_console)
        context.add_init_script(
            "addEventListener('securitypolicyviolation', (e) => "
            "console.error('policy: ' + e.violatedDirective + ' ' + e.blockedURI));"
        )
        self.page: Page = context.new_page()

    def _on_console(self, message) -> None:
        if message.type in ("error", "warning") and not any(one.search(message.text) for one in self.tolerated):
            self.problems.append(f"{message.type}: {message.text}")

    def check(self) -> None:
        assert not self.problems, "the browser complained:\n" + "\n".join(self.problems)

    # ---- actions

    def open(self, url: str):
        return self.page.goto(url)

    def fill(self, **fields: str) -> None:
        """Fills the visible fields by their names."""
        for name, value in fields.items():
            self.page.locator(f"input[name={name}]:visible").fill(value)

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def follow(self, name: str) -> None:
        self.page.get_by_role("link", name=name, exact=True).click()

    # ---- visible content

    def heading(self, text: str) -> None:
        """Waits for the view with this heading."""
        self.page.get_by_role("heading", name=text, exact=True).wait_for()

    def alert(self, text: str) -> None:
        """Waits until the alert contains this text."""
        self.page.get_by_role("alert").filter(has_text=text).wait_for()

    def error_of(self, field: str) -> str:
        """Returns the error text of a field that is not valid."""
        box = self.page.locator(f"input[name={field}]:visible")
        self.page.locator(f"input[name={field}][aria-invalid=true]:visible").wait_for()
        named = box.get_attribute("aria-describedby").split()
        texts = [self.page.locator(f"#{one}").inner_text() for one in named if one.endswith("-error")]
        assert len(texts) == 1, named
        return texts[0]

    # ---- automatic checks

    def accessibility(self, leaving_out: str | None = None, rules: list[str] | None = None) -> list[str]:
        """Returns axe's findings against WCAG 2.2 AA and good practice, one line each. `leaving_out`: a selector to
        skip. `rules`: only these."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE.read_text())
        found = self.page.evaluate(
            """async ([out, rules]) => {
                const only = rules ? {runOnly: {type: 'rule', values: rules}} : {};
                return (await axe.run(out ? {exclude: [out]} : document, {resultTypes: ['violations'], ...only})).violations;
            }""",
            [leaving_out, rules],
        )
        return [
            f"{one['id']}: {one['help']}: {node['html']} {node['failureSummary']}" for one in found for node in one["nodes"]
        ]

    def overflow(self) -> int:
        """Returns by how many pixels the page is wider than the window."""
        return self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


@contextmanager
def visiting(browser: Browser, **settings):
    context = browser.new_context(**settings)
    visitor = Visitor(context)
    try:
        yield visitor
        visitor.check()
    finally:
        try:
            context.close()
        except Error:
            pass
