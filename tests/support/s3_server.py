"""A real S3-compatible store as a child process (moto), with one bucket."""

import ssl
import subprocess
import sys

import httpx

from support.certificates import certificate
from support.ports import free_port
from support.waiting import wait_until

BUCKET = "kept"


class S3Server:
    """tls: speaks https, with a certificate that `settings` make trusted."""

    def __init__(self, folder, tls: bool = False):
        self.port = free_port()
        self.certificate = None
        secured = []
        if tls:
            self.certificate, key = certificate(folder, "s3")
            secured = ["-c", str(self.certificate), "-k", str(key)]
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"
        with open(folder / "s3.log", "ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port), *secured],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=folder,
            )
        trusted = ssl.create_default_context(cafile=self.certificate) if tls else True
        self.http = httpx.Client(base_url=self.url, trust_env=False, timeout=30, verify=trusted)
        wait_until(self._has_bucket, what=lambda: (folder / "s3.log").read_text(), interval=0.1)

    def _has_bucket(self) -> bool:
        assert self.process.poll() is None, "the server ended"
        try:
            return self.http.put(f"/{BUCKET}").status_code == 200
        except httpx.TransportError:
            return False

    @property
    def settings(self) -> dict:
        trusted = {"SSL_CERT_FILE": str(self.certificate)} if self.certificate else {}
        return {
            **trusted,
            "SERVICE_STORAGE": "s3",
            "SERVICE_S3_ENDPOINT": self.url,
            "SERVICE_S3_BUCKET": BUCKET,
            "SERVICE_S3_ACCESS_KEY": "test",
            "SERVICE_S3_SECRET_KEY": "secret",
        }

    def keys(self) -> list[str]:
        text = self.http.get(f"/{BUCKET}", params={"list-type": "2"}).text
        return [part.split("</Key>")[0] for part in text.split("<Key>")[1:]]

    def uploads(self) -> int:
        """Returns the multipart uploads that have not ended."""
        return self.http.get(f"/{BUCKET}?uploads").text.count("<Upload>")

    def close(self) -> None:
        self.http.close()
        self.process.kill()
        self.process.wait()
