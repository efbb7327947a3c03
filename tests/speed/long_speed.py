"""The speed of the dashboard in Chromium, at the real server, against its budgets. Times next to other work mean nothing, so
of ./test long dashboard alone."""

import os
import re

import pytest
from playwright.sync_api import expect

from screens.camera import WAITING
from speed import acts, world
from speed.figures import Figures
from speed.instruments import LONG_TASKS, SETTLED, Machine, paint, shown_after
from support.browser import ARGUMENTS, CHROMIUM, PATIENCE
from support.client import ok
from support.dashboard import Person
from support.frames import scroll
from support.waiting import wait_until
from support.wire import Wire

ROUNDS = 10
FIRST_ROUNDS = 5
FRAMES = 240
TOURS = 5
RUNS_PER_SECOND = 5
RUNS = 60
KILOBYTES = 285
# The first cell of the first row; it has no text before the document is read.
ROW = '[role=grid] [aria-rowindex="2"] [aria-colindex="2"]'

expect.set_options(timeout=PATIENCE)
pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def server_settings():
    return {"SERVICE_AUTH_RATE_LIMIT": "100000/60", "SERVICE_STORE_CALLBACK_RUNS": None}


@pytest.fixture(scope="module")
def weather(owner):
    return world.build(owner)


@pytest.fixture(scope="module")
def figures():
    load = os.getloadavg()[0]
    figures = Figures()
    yield figures
    print(f"\n{os.cpu_count()} cores, load {load:.1f} before, {os.getloadavg()[0]:.1f} after\n{figures.table()}")


@pytest.fixture
def opened(chromium, server, owner, weather):
    """Opens new browsers, signed in at the home of the project; checks each at the end."""
    people = []

    def open() -> Person:
        person = Person(chromium.new_context(viewport={"width": 1440, "height": 900}), server.url)
        people.append(person)
        person.sign_in(owner, f"/p/{weather.slug}")
        settle(person)
        return person

    yield open
    for person in people:
        person.context.close()
        person.check()


def settle(person: Person) -> None:
    """Waits until all of the screen is read, and the page has nothing to do."""
    person.page.get_by_role("heading", level=1).first.wait_for()
    wait_until(lambda: not person.page.evaluate(WAITING))
    person.page.evaluate(SETTLED)


# The time when the first heading is on the screen. The first content is the mark, which is in the page itself.
DRAWN = """new MutationObserver((_, observer) => {
    if (!document.querySelector("h1")) return;
    observer.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => { globalThis.drawn = performance.now(); }));
}).observe(document, { childList: true, subtree: true })"""


def test_first_paint(chromium, server, owner, figures, tmp_path):
    first, again, drawn, bytes, requests = [], [], [], [], []
    for number in range(ROUNDS):
        # A browser that has stored nothing.
        context = chromium.browser_type.launch_persistent_context(str(tmp_path / str(number)), executable_path=CHROMIUM, args=ARGUMENTS)
        for times in (first, again):
            page = context.new_page()
            page.evaluate(SETTLED)
            page.add_init_script(DRAWN)
            page.goto(f"{server.url}/dashboard/sign-in")
            page.get_by_role("heading", name="Sign in to Manybase").wait_for()
            page.wait_for_load_state("networkidle")
            times.append(paint(page, "first-contentful-paint"))
            if times is again:
                drawn.append(page.evaluate("drawn"))
            page.close()
        context.close()
        person = Person(chromium.new_context(), server.url)
        wire = Wire(person.page)
        person.go("/sign-in")
        person.heading("Sign in to Manybase")
        wire.settle()
        bytes.append(wire.kilobytes)
        requests.append(wire.requests)
        person.context.close()
    figures.add("First contentful paint of the sign-in, new browser", first, budget=400)
    figures.add("First contentful paint of the sign-in, with its cache", again, budget=200)
    figures.add("The form of the sign-in is drawn, with its cache", drawn)
    figures.add("Bytes until the sign-in is there", max(bytes), "KB", KILOBYTES)
    figures.add("Requests until the sign-in is there", max(requests), "")
    figures.check()


def test_from_a_click_to_the_rows(opened, figures):
    first, later = [], []

    def open_shelf(person, at: int, times: list[float]) -> None:
        acts.rail(person, "Home")
        settle(person)
        acts.rail(person, "Data")
        settle(person)
        link = person.page.get_by_role("navigation", name="Collections").get_by_role("link", name=world.shelf(at))
        with shown_after(person.page, "click", ROW, times):
            link.click()

    for _ in range(FIRST_ROUNDS):
        person = opened()
        open_shelf(person, 0, first)
    for at in range(1, world.ROUNDS):
        open_shelf(person, at, later)
    figures.add("Click to the rows of a collection, the first one", first, budget=250)
    figures.add("Click to the rows of a collection, others", later, budget=250)
    figures.check()


def test_from_a_click_to_the_editor(opened, figures):
    first, later = [], []

    def open_function(person, at: int, times: list[float]) -> None:
        acts.rail(person, "Functions")
        settle(person)
        name = world.function(at)
        with shown_after(person.page, "click", f'[aria-label="Code of {name}"] .cm-line', times):
            person.page.get_by_role("main").get_by_role("link", name=name).click()

    for _ in range(FIRST_ROUNDS):
        person = opened()
        open_function(person, 0, first)
    for at in range(1, world.ROUNDS):
        open_function(person, at, later)
    figures.add("Click to the editor of a function, the first one", first, budget=250)
    figures.add("Click to the editor of a function, others", later, budget=250)
    figures.check()


def test_the_palette(opened, figures):
    first, later = [], []
    person = opened()
    for number in range(ROUNDS + 1):
        with shown_after(person.page, "keydown", "[role=dialog] [role=option]", later if number else first):
            person.page.keyboard.press("Control+k")
        person.key("Escape")
        person.dialogs().wait_for(state="detached")
        settle(person)
    figures.add("Keys to the open palette, the first time", first)
    figures.add("Keys to the open palette", later, budget=50)
    figures.check()


def test_a_hundred_thousand_rows(opened, weather, figures):
    person = opened()
    person.go(f"/p/{weather.slug}/data/readings")
    expect(person.page.get_by_text(f"{world.MANY:,} documents")).to_be_visible()
    settle(person)
    grid = person.page.get_by_role("grid")
    found = scroll(grid, FRAMES)
    figures.add(f"{world.MANY:,} rows, {FRAMES} frames of scrolling", found["times"], budget=20, by="p95")
    figures.add("… of them blank", found["blank"], "", 0)
    figures.add("… of them with a row that is being read", found["waiting"], "")
    settle(person)
    figures.add("… elements of the page", person.page.evaluate("document.querySelectorAll('*').length"), "")
    figures.add("… heap", Machine(person.page).megabytes(), "MB")
    figures.check()


@pytest.mark.parametrize(("slower", "budget"), [(1, 64), (4, 120)])
def test_interactions(opened, figures, slower, budget):
    person = opened()
    with Machine(person.page).slower(slower):
        times, slowest = acts.perform(person)
    figures.add("Interaction to next paint" + (f", processor {slower} times slower" if slower > 1 else ""), times, budget=budget, by="p95")
    print("\nslowest interactions:", *(f"{one['step']} {one['name']} {one['duration']:.0f} ms" for one in slowest), sep="\n  ")
    assert len(times) >= 100
    figures.check()


def test_memory_of_five_tours(opened, weather, figures):
    person = opened()
    machine = Machine(person.page)
    rail = person.page.get_by_role("navigation", name="Main")
    links = [rail.locator(f'a[href="{one}"]') for one in rail.locator("a[href^='/dashboard/']").evaluate_all("all => all.map((one) => one.getAttribute('href'))")]
    assert len(links) >= 19
    heaps = []
    for _ in range(TOURS):
        for link in links:
            link.click()
            expect(link).to_have_attribute("aria-current", "page")
            settle(person)
        acts.rail(person, "Data")
        person.page.get_by_role("navigation", name="Collections").get_by_role("link", name="readings").click()
        expect(person.page.get_by_role("gridcell", name="r00000")).to_be_visible()
        for name in ("Schema", "Policy", "Indexes"):
            person.page.get_by_role("navigation", name="Parts of the collection").get_by_role("link", name=name).click()
            settle(person)
        acts.rail(person, "Functions")
        person.page.get_by_role("main").get_by_role("link", name=world.function(0)).click()
        person.page.get_by_role("textbox", name="Code of").wait_for()
        acts.rail(person, "Home")
        settle(person)
        heaps.append(machine.megabytes())
    for number, heap in enumerate(heaps, 1):
        figures.add(f"Heap after tour {number} of {len(links) + 5} screens", heap, "MB", 80)
    figures.add("… growth from tour 2 to tour 5", max(0.0, (heaps[4] / heaps[1] - 1) * 100), "%", 10)
    figures.check()


def test_a_log_that_follows(opened, weather, figures):
    person = opened()
    person.go(f"/p/{weather.slug}/functions/loud")
    person.page.get_by_text("Has not run yet.").wait_for()
    settle(person)
    person.page.evaluate(LONG_TASKS)
    for _ in range(RUNS):
        ok(weather.admin.post("/admin/functions/loud/invoke", {"payload": {}}))
        person.page.wait_for_timeout(1000 / RUNS_PER_SECOND)
    expect(person.page.get_by_role("log").get_by_role("listitem")).to_have_count(world.LINES)
    assert person.page.get_by_role("list", name=re.compile("runs", re.I)).get_by_role("listitem").count() >= 20
    tasks = person.page.evaluate("tasks")
    figures.add(f"Tasks above 50 ms while {RUNS} runs of {world.LINES} lines are followed", len(tasks), "")
    figures.add("… the longest", max(tasks, default=0), budget=100)
    figures.check()
