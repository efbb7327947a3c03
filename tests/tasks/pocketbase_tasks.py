"""The tasks at PocketBase's dashboard (github.com/pocketbase/pocketbase), as far as it has them. Each begins at its list of
collections, signed in, but the first."""

import os
import re
import shutil
import sqlite3
import subprocess
from pathlib import Path

import httpx

from support.client import PASSWORD
from support.hand import Hand
from support.parts import missing_part
from support.ports import free_port
from support.server import ROOT
from support.waiting import wait_until

VERSION = "v0.40.4"
# It needs a newer Go than Debian 12 has; a Go from 1.21 on takes this one from its proxy.
TOOLCHAIN = "go1.27.4"
EMAIL = "ada@example.com"
MANY = 100_000
# What its dashboard cannot do, and why.
ABSENT = {
    "why_not_found": "no explanation of a refusal",
    "function_on_insert": "functions are files of the server",
    "webhook_that_fails": "no webhooks",
    "scoped_key": "no keys; a token of one user has no scope",
    "promotion": "no environments",
    "block_a_user": "users are deleted, not blocked",
}


def built() -> Path:
    folder = ROOT / "build" / "pocketbase" / VERSION
    program = folder / "base"
    if program.exists():
        return program
    go = shutil.which("go") or missing_part("go, which builds PocketBase,")
    ran = subprocess.run(
        [go, "install", f"github.com/pocketbase/pocketbase/examples/base@{VERSION}"],
        env={**os.environ, "GOBIN": str(folder), "GOTOOLCHAIN": TOOLCHAIN, "CGO_ENABLED": "0"},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert ran.returncode == 0, f"PocketBase is not built:\n{ran.stdout}{ran.stderr}"
    return program


class AtPocketBase:
    def __init__(self, browser, folder: Path):
        self.browser = browser
        self.folder = folder
        self.program = built()
        # The same after a restart: its session is kept by the address.
        self.address = f"127.0.0.1:{free_port()}"
        self.url = f"http://{self.address}"
        self.log = folder / "pocketbase.log"
        self._start()

    def _start(self) -> None:
        with open(self.log, "wb") as out:
            self.process = subprocess.Popen(
                [self.program, "serve", "--dir", self.folder / "data", "--http", self.address],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
            )

        def responds() -> bool:
            try:
                return httpx.get(f"{self.url}/api/health", trust_env=False).status_code == 200
            except httpx.TransportError:
                return False

        wait_until(responds, 30, self.log.read_text)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()

    def _page(self, state=None):
        context = self.browser.new_context(viewport={"width": 1440, "height": 900}, storage_state=state)
        return context.new_page()

    def _at_collections(self) -> tuple:
        page = self._page(self.state)
        page.goto(f"{self.url}/_/")
        page.get_by_role("button", name="New collection").wait_for()
        page.wait_for_load_state("networkidle")
        return page, Hand(page)

    def first_start(self) -> Hand:
        """The link stands in the terminal; opening it is not counted, as at Manybase."""
        found = wait_until(lambda: re.search(r"http://\S+/_/#/pbinstall/\S+", self.log.read_text()), 10)
        page = self._page()
        page.goto(found[0])
        hand = Hand(page)
        hand.see(page.locator("input[name=email]"))
        hand.type(EMAIL)
        hand.next_field()
        hand.type(PASSWORD)
        hand.next_field()
        hand.next_field()
        hand.type(PASSWORD)
        assert page.locator("input[name=passwordConfirm]").input_value() == PASSWORD
        hand.command("Enter")
        hand.see(page.get_by_role("button", name="New collection"))
        self.state = page.context.storage_state()
        return hand

    def collection_and_document(self) -> Hand:
        page, hand = self._at_collections()
        hand.click(page.get_by_role("button", name="New collection"))
        panel = page.locator(".collection-upsert-modal")
        hand.see(panel.locator("input[name=name]"))
        hand.type("books")
        for kind, name in (("Plain text", "title"), ("Number", "stars"), ("Bool", "sold")):
            hand.click(panel.get_by_role("button", name="New field"))
            hand.click(panel.locator(".dropdown-item", has_text=kind))
            page.wait_for_function("getSelection().toString() !== ''")
            hand.type(name)
        hand.click(panel.locator("footer button", has_text="Create"))
        hand.click(page.locator(".new-record-btn"))
        panel = page.locator(".record-upsert-modal")
        hand.click(panel.locator("[name=title]"))
        hand.type("Fjords")
        hand.next_field()
        hand.type("5")
        hand.click(panel.locator("label", has_text="sold"))
        hand.click(panel.locator("footer button", has_text="Create"))
        hand.see(page.get_by_role("cell", name="Fjords"))
        return hand

    def find_and_change(self) -> Hand:
        """In the collection of the task before, with the records in its file."""
        self.close()
        with sqlite3.connect(self.folder / "data" / "data.db") as file:
            rows = ((f"r{n:014}", f"Book {n}", n % 5) for n in range(MANY))
            file.executemany("INSERT INTO books (id, title, stars, sold, created, updated) VALUES (?, ?, ?, 0, '', '')", rows)
            file.execute("CREATE INDEX by_title ON books (title)")
        file.close()
        self._start()
        page, hand = self._at_collections()
        hand.click(page.locator(".nav-item", has_text="books"))
        hand.click(page.locator(".editor-content").last)
        hand.type('title="Book 73210"')
        hand.command("Enter")
        hand.click(page.get_by_role("cell", name="Book 73210"))
        hand.click(page.locator(".record-upsert-modal [name=stars]"))
        hand.command("Control+a")
        hand.type("9")
        hand.command("Control+s")
        hand.see(page.locator("td.col-field-name-stars", has_text="9"))
        return hand

    def owners_alone_change(self) -> Hand:
        """Without the proof, which it does not have: the rules for updates and deletes."""
        page, hand = self._at_collections()
        hand.click(page.locator(".nav-item", has_text="books"))
        hand.click(page.get_by_label("Collection settings"))
        panel = page.locator(".collection-upsert-modal")
        hand.click(panel.locator(".tab-item", has_text="API rules"))
        for rule in ("Update rule", "Delete rule"):
            field = panel.locator(".field", has_text=rule)
            hand.click(field.locator(".unlock-overlay"))
            hand.click(field.locator(".editor-content"))
            hand.type("@request.auth.id = title ")
            # The list of completions covers what is below.
            hand.next_field()
        hand.click(panel.locator("footer button", has_text="Save changes"))
        panel.wait_for(state="detached")
        return hand
