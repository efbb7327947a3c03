"""Scrolling by frames, measured in the page."""

from playwright.sync_api import Locator

# For each frame: the milliseconds since the one before, whether a place would be drawn without a row, whether a row
# without its document; and the most elements of all frames. With `patience`, a frame is blank only if its rows are not
# there after so many more.
SCROLL = """async (grid, { frames, patience }) => {
    const box = grid.getBoundingClientRect();
    grid.scrollTop = 0;
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    const rowAt = (y) => document.elementFromPoint(box.left + 100, box.top + y)?.closest('[role=row]');
    const isEmpty = (row) => row?.querySelector('[aria-colindex="2"]')?.textContent === '';
    const found = { times: [], blank: 0, waiting: 0, elements: 0 };
    let before = await new Promise(requestAnimationFrame);
    for (let frame = 0; frame < frames; frame++) {
        const now = await new Promise(requestAnimationFrame);
        found.times.push(now - before);
        before = now;
        grid.scrollTop += 300;
        let rows;
        for (let more = 0; more <= patience; more++) {
            if (more > 0) await new Promise(requestAnimationFrame);
            rows = [50, box.height / 2, box.height - 20].map(rowAt);
            if (rows.every(Boolean)) break;
        }
        if (!rows.every(Boolean)) found.blank++;
        else if (rows.some(isEmpty)) found.waiting++;
        found.elements = Math.max(found.elements, grid.querySelectorAll('*').length);
    }
    return found;
}"""


def scroll(grid: Locator, frames: int, patience: int = 0) -> dict:
    """Scrolls a grid from its start, 300 pixels a frame."""
    return grid.evaluate(SCROLL, {"frames": frames, "patience": patience})
