"""A person's hands at a web page: what they press is counted, and how long it takes is reckoned by the keystroke-level model
(Card, Moran, Newell: The Keystroke-Level Model for User Performance Time with Interactive Systems, CACM 23(7), 1980)."""

import time

from playwright.sync_api import Locator, Page

# Seconds, as the model has them: a key of an average typist, pointing, pressing the button, the hand between keyboard and
# mouse, and thinking before an act.
KEY, POINT, PRESS, HOME, THINK = 0.28, 1.1, 0.2, 0.4, 1.35


class Hand:
    """`clicks`: presses of the mouse, and keys that are commands (Enter, Escape, chords). `seconds`: those of the model, and
    those that the page let them wait."""

    def __init__(self, page: Page):
        self.page = page
        self.clicks = 0
        self.seconds = 0.0
        self._at_mouse = False

    def _move(self, mouse: bool) -> None:
        self.seconds += HOME if mouse != self._at_mouse else 0
        self._at_mouse = mouse

    def see(self, target: Locator) -> Locator:
        """Waits until it can be seen."""
        begin = time.monotonic()
        target.first.wait_for()
        self.seconds += time.monotonic() - begin
        return target.first

    def click(self, target: Locator, times: int = 1) -> None:
        target = self.see(target)
        self._move(mouse=True)
        self.seconds += THINK + POINT + PRESS * times
        self.clicks += times
        target.click(click_count=times)

    def choose(self, box: Locator, option: str) -> None:
        """Picks an option of a select box: one press opens it, one picks."""
        box = self.see(box)
        self._move(mouse=True)
        self.seconds += THINK + 2 * (POINT + PRESS)
        self.clicks += 2
        box.focus()
        box.select_option(label=option)

    def type(self, text: str) -> None:
        """Types where the focus is, in place of what is selected."""
        self._move(mouse=False)
        self.seconds += THINK + KEY * len(text)
        self.page.keyboard.insert_text(text)

    def next_field(self) -> None:
        self._move(mouse=False)
        self.seconds += KEY
        self.page.keyboard.press("Tab")

    def command(self, key: str) -> None:
        self._move(mouse=False)
        self.seconds += THINK + KEY * len(key.split("+"))
        self.clicks += 1
        self.page.keyboard.press(key)
