"""What measures in the page: times between an event and the frame that shows its result, interactions, long tasks, memory."""

from contextlib import contextmanager

from playwright.sync_api import CDPSession, Page

# Begins with the next event of the type; ends after the frame in which an element of the selector is seen with a text.
# A text of the page's own is not compiled, as its policy demands, so elements are named by selectors alone.
ARM = """([type, selector]) => {
    globalThis.shown = new Promise((done, fail) => addEventListener(type, ({ timeStamp }) => {
        const isShown = () => [...document.querySelectorAll(selector)].some((one) => one.textContent.trim() && one.checkVisibility());
        const afterFrame = () => requestAnimationFrame(() => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => done(performance.now() - timeStamp);
            port2.postMessage(null);
        });
        const look = () => {
            if (!isShown()) return;
            observer.disconnect();
            afterFrame();
        };
        setTimeout(() => fail(new Error(`${selector} is not shown`)), 30_000);
        const observer = new MutationObserver(look);
        observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    }, { capture: true, once: true }));
}"""

# Past the frames of what happens now, and the entries about them. (Idle callbacks may not come while nothing is drawn.)
SETTLED = """async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    await new Promise((done) => setTimeout(done, 100));
}"""

# Keeps the longest event of each interaction by its id, with the name of the step in which it began.
INTERACTIONS = """() => {
    const found = new Map();
    const steps = [];
    const before = performance.interactionCount;
    const take = (entries) => {
        for (const { interactionId, duration, startTime, name } of entries) {
            if (!interactionId || startTime < (steps[0]?.at ?? Infinity)) continue;
            if (duration > (found.get(interactionId)?.duration ?? 0)) {
                found.set(interactionId, { duration, name, step: steps.findLast(({ at }) => at <= startTime).step });
            }
        }
    };
    const observer = new PerformanceObserver((list) => take(list.getEntries()));
    observer.observe({ type: 'event', durationThreshold: 16 });
    globalThis.interactions = {
        step: (step) => void steps.push({ at: performance.now(), step }),
        end: () => {
            take(observer.takeRecords());
            observer.disconnect();
            return { count: performance.interactionCount - before, slow: [...found.values()] };
        },
    };
}"""

LONG_TASKS = """() => {
    globalThis.tasks = [];
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' });
}"""


@contextmanager
def shown_after(page: Page, event: str, selector: str, times: list[float]):
    """Adds to `times` how long it takes from the event that the block causes until an element is seen."""
    page.evaluate(ARM, [event, selector])
    yield
    times.append(page.evaluate("shown"))


def paint(page: Page, name: str) -> float:
    """Returns when the page was first painted: `first-contentful-paint`, by the clock of its navigation."""
    return page.evaluate("name => performance.getEntriesByName(name)[0].startTime", name)


class Interactions:
    """The interactions of a page with the time until their next paint, each in a step with a name."""

    # The observer is notified of no shorter ones.
    SHORTEST = 16.0

    def __init__(self, page: Page):
        self.page = page
        page.evaluate(INTERACTIONS)

    def step(self, name: str) -> None:
        self.page.evaluate(SETTLED)
        self.page.evaluate("name => interactions.step(name)", name)

    def end(self) -> tuple[list[float], list[dict]]:
        """Returns the time of each interaction, and the slowest ones."""
        self.page.evaluate(SETTLED)
        found = self.page.evaluate("interactions.end()")
        slow = sorted(found["slow"], key=lambda one: -one["duration"])
        times = [float(one["duration"]) for one in slow]
        return times + [self.SHORTEST] * (found["count"] - len(times)), slow[:5]


class Machine:
    """The page's process: its memory, and how fast it runs."""

    def __init__(self, page: Page):
        self._cdp: CDPSession = page.context.new_cdp_session(page)

    def megabytes(self) -> float:
        """Returns the heap in use, after a collection."""
        for _ in range(2):
            self._cdp.send("HeapProfiler.collectGarbage")
        return self._cdp.send("Runtime.getHeapUsage")["usedSize"] / 1_000_000

    @contextmanager
    def slower(self, times: int):
        self._cdp.send("Emulation.setCPUThrottlingRate", {"rate": times})
        yield
        self._cdp.send("Emulation.setCPUThrottlingRate", {"rate": 1})
