"""Pictures of screens: each in four forms, wide and narrow, light and dark; and a sheet of the four."""

import base64
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

from support.dashboard import Person
from support.server import ROOT
from support.waiting import wait_until

FOLDER = ROOT / "build" / "screens"
SIZES = {"wide": {"width": 1440, "height": 900}, "narrow": {"width": 360, "height": 740}}
SCHEMES = ("light", "dark")
# What waits: places of what is being read, in the page and in panels. Those that are seen count, after the 200 ms of rest.
WAITING = """() => [...document.querySelectorAll('[class*=skeleton], [aria-busy=true], progress:not([value])')]
    .filter((one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !one.closest('[class*=skeleton] *'))
    .map((one) => one.outerHTML.slice(0, 120))"""
FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
SHEET = """<!doctype html><title>sheet</title><body style="margin:0;padding:12px;background:#888;display:grid;
    grid-template-columns:960px 292px;gap:12px;width:max-content">{images}"""


@dataclass(frozen=True)
class Screen:
    """`path` is below /dashboard, with the names of the world's paths in braces. `act` opens what is on the screen but not
    in its address. `who` is signed in. `refusals` are the statuses that belong to the screen."""

    name: str
    path: str
    act: Callable[[Person], object] | None = None
    who: str = "ada"
    refusals: tuple[int, ...] = field(default=())


def settle(person: Person) -> None:
    """Waits until nothing on the page waits."""
    page = person.page
    page.get_by_role("heading").first.wait_for()
    page.wait_for_load_state("networkidle")
    wait_until(lambda: not page.evaluate(WAITING), 20, lambda: f"a part of the screen still waits: {page.evaluate(WAITING)}")
    page.evaluate("document.fonts.ready.then(() => null)")
    page.evaluate(FRAMES)


def take(person: Person, screen: Screen, path: str) -> list[str]:
    """Takes the four pictures and their sheet; returns what is wrong with the screen."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    wrong = []
    person.problems.clear()
    person.tolerated.clear()
    person.expect_refusals(*screen.refusals)
    for size, viewport in SIZES.items():
        person.page.close(run_before_unload=False)
        person.page = person.context.new_page()
        person.page.set_viewport_size(viewport)
        person.go(path)
        settle(person)
        if screen.act:
            screen.act(person)
            settle(person)
        for scheme in SCHEMES:
            person.page.evaluate("scheme => { document.documentElement.dataset.scheme = scheme }", scheme)
            person.page.evaluate(FRAMES)
            form = f"{size}-{scheme}"
            person.page.screenshot(path=FOLDER / f"{screen.name}-{form}.png")
            # Of the dark scheme the colours, which alone differ.
            check = person.contrast if scheme == "dark" else person.accessibility
            wrong += [f"{form}: {one}" for one in check()]
            if over := person.overflow():
                wrong.append(f"{form}: {over} pixels wider than the window")
    _sheet(person, screen.name)
    return wrong + person.problems


def _sheet(person: Person, name: str) -> None:
    def image(form: str) -> str:
        content = base64.b64encode((FOLDER / f"{name}-{form}.png").read_bytes()).decode()
        width = 960 if form.startswith("wide") else 292
        return f'<img width={width} src="data:image/png;base64,{content}">'

    page = person.context.browser.new_page(viewport={"width": 1288, "height": 900})
    page.set_content(SHEET.replace("{images}", "".join(image(f"{size}-{scheme}") for scheme in SCHEMES for size in SIZES)))
    page.screenshot(path=FOLDER / f"{name}.png", full_page=True)
    page.close()


def cover(browser, title: str, author: str, hue: int) -> bytes:
    """A cover of a book, as a PNG."""
    page = browser.new_page(viewport={"width": 300, "height": 420})
    page.set_content(
        f'<body style="margin:0;height:100vh;box-sizing:border-box;padding:28px 24px;display:grid;align-content:space-between;color:#fff;'
        f'font-family:Georgia,serif;background:linear-gradient(160deg,hsl({hue} 45% 38%),hsl({(hue + 40) % 360} 55% 18%))">'
        f'<div style="font-size:32px;line-height:1.15">{title}</div><div style="font-size:16px;letter-spacing:.04em">{author}</div>'
    )
    content = page.screenshot()
    page.close()
    return content


def reduced(browser, picture: Path, width: int, target: Path) -> int:
    """Writes a picture with fewer pixels; returns its bytes."""
    content = base64.b64encode(picture.read_bytes()).decode()
    page = browser.new_page()
    page.set_content("<canvas></canvas>")
    made = page.evaluate(
        """async ([content, width]) => {
            const image = new Image();
            image.src = `data:image/png;base64,${content}`;
            await image.decode();
            const canvas = document.querySelector('canvas');
            canvas.width = width;
            canvas.height = Math.round((image.height * width) / image.width);
            const pen = canvas.getContext('2d');
            pen.imageSmoothingQuality = 'high';
            pen.drawImage(image, 0, 0, canvas.width, canvas.height);
            return canvas.toDataURL('image/webp', 0.82).split(',')[1];
        }""",
        [content, width],
    )
    page.close()
    raw = base64.b64decode(made)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(raw)
    return len(raw)
