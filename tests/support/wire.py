"""What a page costs on the wire."""

from urllib.parse import urlsplit

from playwright.sync_api import Page


class Wire:
    """Counts the requests of a page, and the bytes of their responses with the heads, compressed as they are sent."""

    def __init__(self, page: Page):
        self._page = page
        self._paths: dict[str, str] = {}
        self.bytes: dict[str, int] = {}  # by path
        cdp = page.context.new_cdp_session(page)
        cdp.on("Network.requestWillBeSent", self._on_request)
        cdp.on("Network.loadingFinished", self._on_finished)
        cdp.send("Network.enable")

    def _on_request(self, event: dict) -> None:
        self._paths[event["requestId"]] = urlsplit(event["request"]["url"]).path

    def _on_finished(self, event: dict) -> None:
        path = self._paths[event["requestId"]]
        self.bytes[path] = self.bytes.get(path, 0) + int(event["encodedDataLength"])

    @property
    def requests(self) -> int:
        return len(self._paths)

    @property
    def kilobytes(self) -> float:
        return sum(self.bytes.values()) / 1000

    def settle(self) -> "Wire":
        """Waits until the page loads nothing more."""
        self._page.wait_for_load_state("networkidle")
        self._page.evaluate("document.fonts.ready.then(() => null)")
        return self
