"""The proxies of docs/deployment.md, configured as it says: uploads, sockets, and headers that clients forge.

TLS and ports are the machine's; every other line of a configuration runs as it is written. A proxy that is not installed is
skipped."""

import os
import re
import shutil
import socket
import subprocess
from contextlib import contextmanager
from types import SimpleNamespace

import httpx
import pytest

from support.client import PASSWORD, PlatformUser
from support.parts import missing_part
from support.realtime import Live
from support.ports import free_port
from support.server import ROOT
from support.waiting import SLOW, wait_until

PAGE = ROOT / "docs" / "deployment.md"
# Differs from the proxy's address, which is trusted.
CLIENT = "127.0.0.9"


def configuration(language: str, server, port: int) -> str:
    blocks = re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    assert len(blocks) == 1, language
    text = blocks[0]
    assert text.count("127.0.0.1:8090") == 1
    return text.replace("127.0.0.1:8090", f"127.0.0.1:{server.port}")


def nginx(server, port: int, folder) -> list[str]:
    text = configuration("nginx", server, port)
    text = re.sub(r"^ *ssl_certificate.*\n", "", text, flags=re.M)
    return nginx_with(text.replace("listen 443 ssl;", f"listen 127.0.0.1:{port};"), folder)


def bare_nginx(server, port: int, folder) -> list[str]:
    """A proxy that adds no header and sends the server's name as host. HTTP/1.0 is the default before 1.29.7."""
    location = f"location / {{ proxy_http_version 1.0; proxy_pass http://127.0.0.1:{server.port}; }}"
    return nginx_with(f"server {{ listen 127.0.0.1:{port}; {location} }}\n", folder)


def nginx_with(text: str, folder) -> list[str]:
    places = "".join(
        f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off;\nmaster_process off;\npid {folder}/pid;\nerror_log stderr;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{places}{text}}}\n"
    )
    return ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "stderr"]


def haproxy(server, port: int, folder) -> list[str]:
    text = configuration("haproxy", server, port)
    text = text.replace("bind :443 ssl crt /etc/ssl/backend.pem", f"bind 127.0.0.1:{port}")
    (folder / "haproxy.cfg").write_text(text)
    return ["haproxy", "-db", "-f", str(folder / "haproxy.cfg")]


def caddy(server, port: int, folder) -> list[str]:
    text = configuration("caddyfile", server, port)
    text = text.replace("backend.example.com {", f"http://:{port} {{\n\tbind 127.0.0.1")
    (folder / "Caddyfile").write_text("{\n\tadmin off\n\tauto_https off\n}\n" + text)
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


PROXIES = pytest.mark.parametrize("proxy", [caddy, nginx, haproxy], ids=lambda each: each.__name__)


@pytest.fixture
def behind(proxy, make_server, tmp_path):
    """A server behind a proxy that its settings name."""
    server = make_server({"SERVICE_TRUSTED_PROXIES": "127.0.0.1", "SERVICE_AUTH_RATE_LIMIT": "3/60"})
    with proxied(proxy, server, tmp_path) as found:
        yield found


def listens(port: int, process: subprocess.Popen) -> bool:
    assert process.poll() is None, "the proxy ended"
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except OSError:
        return False
    return True


@contextmanager
def proxied(proxy, server, tmp_path):
    """Starts both; yields `server`, and the `url` and `port` of the proxy."""
    program = proxy.__name__.removeprefix("bare_")
    search = os.environ.get("PATH", "") + ":/usr/sbin"
    if shutil.which(program, path=search) is None:
        missing_part(program)
    server.start()
    port = free_port()
    line = proxy(server, port, tmp_path)
    environment = {"PATH": search, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    log = tmp_path / "proxy.log"
    with log.open("wb") as out:
        process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment)
    try:
        wait_until(lambda: listens(port, process), 20, log.read_text)
        yield SimpleNamespace(server=server, url=f"http://127.0.0.1:{port}", port=port)
    finally:
        process.terminate()
        process.wait(20 * SLOW)


def client(behind) -> httpx.Client:
    return httpx.Client(
        base_url=behind.url + "/api/v1",
        transport=httpx.HTTPTransport(local_address=CLIENT),
        timeout=30 * SLOW,
        headers={"host": "backend.example.com"},
    )


@PROXIES
def test_uploads_sockets_and_forged_headers(behind):
    owner = PlatformUser(behind.server)
    project = owner.create_project()
    collection = project.collection()
    bearer = {"authorization": f"Bearer {project.admin.token}"}
    with client(behind) as http:
        # Uploads far above the defaults of proxies, with a length and in chunks.
        assert http.post("/admin/storage/buckets", json={"name": "files"}, headers=bearer).status_code == 201
        content = os.urandom(8 << 20)
        for name, body in (("whole", content), ("chunked", iter([content[:5_000_000], content[5_000_000:]]))):
            sent = http.put(f"/storage/files/{name}", content=body, headers=bearer)
            assert sent.status_code == 201, sent.text
            assert http.get(f"/storage/files/{name}", headers=bearer).content == content
        # Only the server limits bodies.
        json_type = {**bearer, "content-type": "application/json"}
        large = http.post(f"/{collection}", content=b'{"a": "' + b"x" * (3 << 20) + b'"}', headers=json_type)
        assert large.status_code == 413 and large.json()["error"]["code"] == "PAYLOAD_TOO_LARGE"

        # WebSockets.
        with Live(behind, project.admin.token) as live:
            live.follow(collection)
            made = http.post(f"/{collection}", json={"n": 1}, headers=bearer)
            assert made.status_code == 201 and live.event()["documentId"] == made.json()["document"]["id"]

        # Forged headers do not change a client's limit, which is that of its address.
        forged = ["192.0.2.1", "192.0.2.2, 127.0.0.1", "127.0.0.1", "nonsense", "192.0.2.5"]
        statuses = [
            http.post(
                "/control/auth/login",
                json={"email": "nobody@example.com", "password": PASSWORD},
                headers=[("x-forwarded-for", address), ("x-forwarded-for", "192.0.2.77")],
            ).status_code
            for address in forged
        ]
    assert statuses == [401, 401, 401, 429, 429]
    assert "x-forwarded-for holds more" not in behind.server.log()


@PROXIES
def test_the_first_user_needs_the_set_up_code(behind):
    with client(behind) as http:
        assert http.get("/control/setup-status").json()["setupCodeRequired"] is True
        body = {"email": "first@example.com", "password": PASSWORD}
        assert http.post("/control/auth/register", json=body).status_code == 403
        made = http.post("/control/auth/register", json={**body, **behind.server.setup_code()})
        assert made.json()["user"]["platformRole"] == "super-admin"


@PROXIES
def test_a_proxy_that_no_setting_names_needs_the_set_up_code_too(proxy, make_server, tmp_path):
    with proxied(proxy, make_server({"SERVICE_TRUSTED_PROXIES": None}), tmp_path) as found, client(found) as http:
        # The proxy itself may call the server by an address of the loopback.
        http.headers["host"] = "localhost"
        body = {"email": "first@example.com", "password": PASSWORD}
        assert http.post("/control/auth/register", json=body).status_code == 403


def test_a_proxy_that_adds_nothing_needs_the_set_up_code_too(make_server, tmp_path):
    with proxied(bare_nginx, make_server({"SERVICE_TRUSTED_PROXIES": None}), tmp_path) as found, client(found) as http:
        assert http.get("/control/setup-status").json()["setupCodeRequired"] is True
        body = {"email": "first@example.com", "password": PASSWORD}
        assert http.post("/control/auth/register", json=body).status_code == 403


def test_networks_that_are_too_wide_are_warned_of(make_server):
    for networks, warned in (("0.0.0.0/0", True), ("127.0.0.1,::/0", True), ("127.0.0.0/8,10.0.0.0/8", False)):
        server = make_server({"SERVICE_TRUSTED_PROXIES": networks}).start()
        assert ("SERVICE_TRUSTED_PROXIES includes clients" in server.log()) is warned, networks


def test_a_proxy_that_passes_headers_on_is_warned_of(make_server):
    server = make_server({"SERVICE_TRUSTED_PROXIES": "127.0.0.1"}).start()
    for forwarded in ("198.51.100.9", "127.0.0.1, 127.0.0.1"):
        server.http.get("/api/v1/health", headers={"x-forwarded-for": forwarded})
    assert "x-forwarded-for holds more" not in server.log()
    for _ in range(2):
        server.http.get("/api/v1/health", headers={"x-forwarded-for": "192.0.2.1, 198.51.100.9"})
    assert server.log().count("x-forwarded-for holds more") == 1 and "SERVICE_TRUSTED_PROXIES" in server.log()
