"""A real browser: Chromium, headless. A page that breaks its content security policy, throws, or logs an error fails
its test."""

import re
from contextlib import contextmanager
from pathlib import Path

import axe_playwright_python
from playwright.sync_api import Browser, BrowserContext, Error, Page, sync_playwright

from support.waiting import SLOW

AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
# Chromium without the windows around its pages, which cost a quarter of the time.
CHROMIUM = "/usr/bin/chromium-headless-shell"
# Test machines are often containers, where Chromium's own sandbox is not available.
ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking"]
# Milliseconds within which a page must show what a test waits for: long, since a machine may do much else.
PATIENCE = 30_000 * SLOW
# Chromium's own log line for a response that is not a success; the page handles those.
EXPECTED_LOG = re.compile(r"^Failed to load resource: the server responded with a status of 4\d\d ")
# One line for each element that breaks a rule of axe.
FINDINGS = """(result) => result.violations.flatMap((rule) =>
    rule.nodes.map((node) => `${rule.id}: ${rule.help}: ${node.html} ${node.failureSummary}`))"""
# Every rule but that of contrast.
RULES = f"""async (out) => ({FINDINGS})(await axe.run(
    out ? {{exclude: [out]}} : document,
    {{resultTypes: ['violations'], selectors: false, rules: {{'color-contrast': {{enabled: false}}}}}},
))"""
# The rule of contrast, for texts whose style has not passed yet: what decides of its contrast are the classes, colours and
# types of the element and of all around it. Gives the findings, and the styles that passed.
CONTRAST = f"""async ([passed, out]) => {{
    const known = new Set(passed.split(' '));
    const styles = new Map();
    const hash = (text) => {{
        let one = 0xdeadbeef, other = 0x41c6ce57;
        for (let at = 0; at < text.length; at++) {{
            one = Math.imul(one ^ text.charCodeAt(at), 2654435761);
            other = Math.imul(other ^ text.charCodeAt(at), 1597334677);
        }}
        return (one >>> 0).toString(36) + '.' + (other >>> 0).toString(36);
    }};
    const styleOf = (element) => {{
        if (!element) return '';
        if (!styles.has(element)) {{
            const its = getComputedStyle(element);
            styles.set(element, hash([
                styleOf(element.parentElement), element.localName, element.getAttribute('class'), its.color, its.backgroundColor,
                its.backgroundImage, its.opacity, its.fontSize, its.fontWeight, its.textShadow,
            ].join('|')));
        }}
        return styles.get(element);
    }};
    const hasText = (element) => element.matches('input, select, textarea') ||
        [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    const fresh = [...document.body.querySelectorAll('*')].filter((element) =>
        hasText(element) && element.checkVisibility() && !(out && element.closest(out)) && !known.has(styleOf(element)));
    if (!fresh.length) return [[], []];
    const result = await axe.run({{include: fresh}}, {{
        runOnly: {{type: 'rule', values: ['color-contrast']}}, resultTypes: ['violations', 'passes'], selectors: false, elementRef: true,
    }});
    return [({FINDINGS})(result), result.passes.flatMap((rule) => rule.nodes.map((node) => styleOf(node.element)))];
}}"""

# The styles of texts, of all pages of this process, whose contrast is enough.
_passed: set[str] = set()


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

    def accessibility(self, leaving_out: str | None = None) -> list[str]:
        """Returns axe's findings against WCAG 2.2 AA and good practice, one line each. `leaving_out`: a selector to
        skip. Contrast: see there."""
        self._load_axe()
        return self.page.evaluate(RULES, leaving_out) + self.contrast(leaving_out)

    def contrast(self, leaving_out: str | None = None) -> list[str]:
        """Returns axe's findings about the contrast of texts. That takes most of axe's time, so texts are left out whose
        style has passed before, on any page of this process."""
        self._load_axe()
        findings, passed = self.page.evaluate(CONTRAST, [" ".join(_passed), leaving_out])
        _passed.update(passed)
        return findings

    def _load_axe(self) -> None:
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE.read_text())

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
