"""A real OpenID Connect provider in a process of its own, and a browser that signs in with it."""

import json
import re
import subprocess
import tempfile
import urllib.parse
from pathlib import Path

import httpx

from support.node_packages import NODE, installed
from support.ports import free_port
from support.waiting import SLOW, wait_until

SOURCE = Path(__file__).resolve().parent / "oidc"


class OidcProvider:
    """Clients "shop" (RS256), "shop-es" and "shop-ed". restart() gives it new keys under the same issuer."""

    def __init__(self):
        self.folder = installed(SOURCE, "oidc-provider")
        self.port = free_port()
        self.callbacks: list[str] = []
        self.process: subprocess.Popen | None = None

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @staticmethod
    def secret(client_id: str) -> str:
        return f"secret-of-{client_id}-&-more"

    def start(self, *callbacks: str) -> "OidcProvider":
        self.callbacks = list(callbacks) or self.callbacks
        config = json.dumps({"port": self.port, "callbacks": self.callbacks})
        self.output = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [NODE, "provider.mjs", config], cwd=self.folder, stdout=self.output, stderr=subprocess.STDOUT
        )
        try:
            wait_until(self._responds, what="the provider does not respond")
        except BaseException:
            self.stop()
            raise
        return self

    def _responds(self) -> bool:
        try:
            httpx.get(self.issuer + "/.well-known/openid-configuration", trust_env=False)
        except httpx.TransportError:
            assert self.process.poll() is None, f"the provider ended:\n{self._printed()}"
            return False
        return True

    def _printed(self) -> str:
        self.output.seek(0)
        return self.output.read().decode(errors="replace")

    def restart(self) -> None:
        self.stop()
        self.start()

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
            self.output.close()


class Browser:
    """Follows redirects one by one and keeps cookies, like a browser."""

    def __init__(self):
        self.http = httpx.Client(trust_env=False, timeout=30 * SLOW)

    def get(self, url: str, **more) -> httpx.Response:
        return self.http.get(url, **more)

    def sign_in(self, url: str, name: str, until: str) -> str:
        """From a provider's page to the URL that begins with `until`: signs in as `name` and consents."""
        for _ in range(20):
            if url.startswith(until):
                return url
            answer = self.http.get(url)
            if answer.status_code == 200:
                form = re.search(r'<form[^>]*action="([^"]+)"', answer.text)
                assert form, answer.text
                prompt = re.search(r'name="prompt" value="(\w+)"', answer.text).group(1)
                fields = {"prompt": prompt, "login": name, "password": "any"}
                answer = self.http.post(urllib.parse.urljoin(url, form.group(1)), data=fields)
            assert answer.status_code in (302, 303), (url, answer.status_code, answer.text)
            url = urllib.parse.urljoin(url, answer.headers["location"])
        raise AssertionError("too many redirects")
