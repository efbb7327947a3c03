"""Some 130 interactions in the dashboard: menus, dialogs, the palette, cells, tabs, the editor, the rail."""

from speed.instruments import Interactions
from speed.world import function, shelf
from support.dashboard import Person

# Milliseconds between keys: a fast typist.
BETWEEN_KEYS = 60


def keys(person: Person, *names: str, times: int = 1) -> None:
    for name in names * times:
        person.page.keyboard.press(name, delay=20)
        person.page.wait_for_timeout(BETWEEN_KEYS)


def typed(person: Person, text: str) -> None:
    person.page.keyboard.type(text, delay=BETWEEN_KEYS)


def rail(person: Person, name: str) -> None:
    person.page.get_by_role("navigation", name="Main").get_by_role("link", name=name, exact=True).click()


def menus(person: Person) -> None:
    page = person.page
    for name in ("Account of", "Project Weather"):
        for _ in range(3):
            page.get_by_role("banner").get_by_role("button", name=name).click()
            page.get_by_role("menu").wait_for()
            keys(person, "ArrowDown", "ArrowDown", "Escape")
            page.get_by_role("menu").wait_for(state="detached")


def dialogs(person: Person) -> None:
    rail(person, "Data")
    for _ in range(3):
        person.page.get_by_role("button", name="New collection").first.click()
        person.dialogs().wait_for()
        typed(person, "weather")
        keys(person, "Escape")
        person.page.get_by_role("alertdialog").wait_for()
        person.press("Discard")
        person.dialogs().wait_for(state="detached")


def palette(person: Person) -> None:
    for text in ("webhooks", "shelf"):
        keys(person, "Control+k")
        person.dialogs().wait_for()
        typed(person, text)
        keys(person, "ArrowDown", "ArrowUp", "Escape")
        person.dialogs().wait_for(state="detached")


def cells(person: Person) -> None:
    page = person.page
    rail(person, "Data")
    page.get_by_role("navigation", name="Collections").get_by_role("link", name=shelf(0)).click()
    grid = page.get_by_role("grid")
    grid.get_by_role("gridcell", name="Reading 3", exact=True).click()
    keys(person, "ArrowDown", "ArrowUp", "PageDown", "PageUp", "ArrowLeft", "ArrowRight")
    keys(person, "Enter")
    grid.get_by_role("textbox", name="note").wait_for()
    typed(person, " at the harbour wall")
    keys(person, "Escape")


def tabs(person: Person) -> None:
    page = person.page
    keys(person, "Control+Enter")
    panel = page.get_by_role("complementary")
    for name in ("JSON", "Links", "Form", "JSON", "Form"):
        panel.get_by_role("tab", name=name).click()
    keys(person, "Escape")
    panel.wait_for(state="detached")
    for name in ("Schema", "Policy", "Indexes", "Documents"):
        page.get_by_role("navigation", name="Parts of the collection").get_by_role("link", name=name).click()


def editor(person: Person) -> None:
    page = person.page
    rail(person, "Functions")
    page.get_by_role("main").get_by_role("link", name=function(0)).click()
    box = page.get_by_role("textbox", name=f"Code of {function(0)}")
    box.locator(".cm-line").nth(1).click()
    keys(person, "Enter")
    typed(person, "const place = await ctx.db.find(")
    keys(person, "Escape", "ArrowDown", "ArrowDown")
    for name in ("Tests", "Versions", "Code"):
        page.get_by_role("tab", name=name).first.click()


def screens(person: Person) -> None:
    for name in ("Home", "Webhooks", "Users"):
        rail(person, name)
        if name == "Home":
            person.press("Discard")
        person.page.get_by_role("heading", level=1).first.wait_for()


ACTS = (menus, dialogs, palette, cells, tabs, editor, screens)


def perform(person: Person) -> tuple[list[float], list[dict]]:
    """Does all of it from the home of the project; returns the times until the next paint, and the slowest interactions."""
    interactions = Interactions(person.page)
    for act in ACTS:
        interactions.step(act.__name__)
        act(person)
    return interactions.end()
