"""Command line, settings, start and stop."""

import json
import os
import signal
import socket
import stat
import subprocess

import pytest

from support import mongo_server
from support.client import PASSWORD, Api, PlatformUser, ok, refused
from support.ports import free_port
from support.raw_http import RawConnection
from support.server import Server, binary, store_settings
from support.waiting import SLOW, wait_until


def run(*arguments, settings: dict | None = None, cwd=None, seconds: float = 20) -> subprocess.CompletedProcess:
    """Runs the binary with these arguments and only these settings in its environment."""
    kept = {
        name: os.environ[name]
        for name in ("PATH", "HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")
        if name in os.environ
    }
    return subprocess.run(
        [str(binary()), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds * SLOW,
        env={**kept, **(settings or {})},
        cwd=cwd,
    )


def refuses_to_start(settings: dict, tmp_path, *words: str) -> str:
    """The server must exit by itself, with a failure, and its output must contain all `words`."""
    settings = {"SERVICE_LISTEN": f"127.0.0.1:{free_port()}", "SERVICE_DATA_DIR": str(tmp_path / "data"), **settings}
    ended = run("serve", settings=settings, cwd=tmp_path)
    text = ended.stdout + ended.stderr
    assert ended.returncode not in (0, None) and ended.returncode > 0, f"exit code {ended.returncode}: {text}"
    for word in words:
        assert word in text, f"{word!r} is not in: {text}"
    return text


# ---- command line


def test_help_names_every_setting(tmp_path):
    shown = run("serve", "--help", cwd=tmp_path)
    assert shown.returncode == 0
    for name, fallback in (
        ("SERVICE_LISTEN", "127.0.0.1:8090"),
        ("SERVICE_BASE_URL", "http://localhost:8090"),
        ("SERVICE_DATA_DIR", "./data"),
        ("SERVICE_SECRET", ""),
        ("SERVICE_CONTROL", "on"),
        ("SERVICE_AUTH_RATE_LIMIT", "10/60"),
        ("SERVICE_PUBLIC_RATE_LIMIT", "30/60"),
        ("SERVICE_TRUSTED_PROXIES", ""),
        ("SERVICE_MAX_BODY", ""),
        ("SERVICE_CORS_ORIGINS", ""),
        ("SERVICE_LOG", ""),
        ("SERVICE_LOG_LEVEL", ""),
        ("SERVICE_DEFAULT_PROJECT", ""),
        ("SERVICE_OPERATORS", ""),
        ("SERVICE_CONTROL_REGISTRATION", "open"),
        ("SERVICE_AUDIT", "on"),
        ("MONGO_URL", ""),
        ("REDIS_URL", ""),
        ("SERVICE_BILLING", "off"),
    ):
        assert name in shown.stdout, f"{name} is not in the help"
        assert fallback in shown.stdout
    assert not (tmp_path / "data").exists()


def test_version_and_usage(tmp_path):
    assert run("--version", cwd=tmp_path).returncode == 0
    assert run("--help", cwd=tmp_path).returncode == 0
    for wrong in (["nonsense"], ["serve", "--nonsense"], ["check", "--nonsense"]):
        ended = run(*wrong, cwd=tmp_path)
        assert ended.returncode != 0 and (ended.stderr or ended.stdout)


# ---- bad settings


@pytest.mark.parametrize(
    "name, value",
    [
        ("SERVICE_LISTEN", "nonsense"),
        ("SERVICE_LISTEN", "127.0.0.1:99999"),
        ("SERVICE_LISTEN", "127.0.0.1:-1"),
        ("SERVICE_CONTROL", "yes"),
        ("SERVICE_CONTROL", "ON!"),
        ("SERVICE_CONTROL_REGISTRATION", "closed"),
        ("SERVICE_AUTH_RATE_LIMIT", "10"),
        ("SERVICE_AUTH_RATE_LIMIT", "a/b"),
        ("SERVICE_AUTH_RATE_LIMIT", "0/0"),
        ("SERVICE_MAX_BODY", "-5"),
        ("SERVICE_MAX_BODY", "large"),
        ("SERVICE_TRUSTED_PROXIES", "10.0.0.0/99"),
        ("SERVICE_TRUSTED_PROXIES", "me"),
        ("SERVICE_LOG", "xml"),
        ("SERVICE_LOG_LEVEL", "shout"),
        ("SERVICE_BASE_URL", "not a url"),
        ("SERVICE_BASE_URL", "ftp://x"),
        ("SERVICE_SECRET", ""),
        ("SERVICE_SECRET", "short"),
        ("SERVICE_SECRET", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
        ("SERVICE_LISTN", "127.0.0.1:1"),
        ("SERVICE_DATADIR", "x"),
        ("SERVICE_LOGLEVEL", "info"),
    ],
)
def test_bad_value_stops_the_start(name, value, tmp_path):
    refuses_to_start({name: value}, tmp_path, name)


def test_bad_values_are_reported_all_at_once(tmp_path):
    refuses_to_start(
        {"SERVICE_CONTROL": "maybe", "SERVICE_LOG": "xml", "SERVICE_AUTH_RATE_LIMIT": "often", "SERVICE_LISTE": "x"},
        tmp_path,
        "SERVICE_CONTROL",
        "SERVICE_LOG",
        "SERVICE_AUTH_RATE_LIMIT",
        "SERVICE_LISTE",
        "SERVICE_LISTEN",
    )


def test_a_near_miss_names_what_was_meant(tmp_path):
    refuses_to_start({"SERVICE_DATA_DIRS": "x"}, tmp_path, "SERVICE_DATA_DIRS", "SERVICE_DATA_DIR")


def test_other_unknown_names_are_warnings(make_server):
    server = make_server({"SERVICE_SOMETHING_ELSE_ENTIRELY": "1"}).start()
    server.logged("SERVICE_SOMETHING_ELSE_ENTIRELY")


@pytest.mark.parametrize(
    "url, why",
    [
        ("https://localhost/x", "must begin with mongodb://"),
        ("mongodb://ada:hidden@localhost/x?w=0", "option w"),
        ("mongodb://ada:hidden@localhost/x?readPreference=secondary", "readPreference"),
        ("mongodb://ada:hidden@localhost/x?tlsInsecure=true&tls=true", "certificates"),
        ("mongodb://ada:hidden@localhost/admin", "the server's own"),
        (f"mongodb://ada:hidden@localhost/{'x' * 21}", "20 letters"),
        ("mongodb://ada:hidden@127.0.0.1:1/x?replicaSet=rs0&serverSelectionTimeoutMS=200", "does not respond"),
    ],
)
def test_an_address_of_mongodb_that_cannot_be_used_stops_the_start(url, why, tmp_path):
    shown = refuses_to_start({"MONGO_URL": url}, tmp_path, "MONGO_URL", why)
    assert "hidden" not in shown
    assert not (tmp_path / "data" / "store").exists()


def test_billing_without_a_key_stops_the_start(tmp_path):
    refuses_to_start({"SERVICE_BILLING": "on"}, tmp_path, "SERVICE_BILLING_SECRET_KEY")


def test_billing_without_a_webhook_secret_warns(make_server):
    server = make_server({"SERVICE_BILLING": "on", "SERVICE_BILLING_SECRET_KEY": "sk_test_hidden"}).start()
    server.logged("SERVICE_BILLING_WEBHOOK_SECRET")
    assert "sk_test_hidden" not in server.log()


@pytest.mark.parametrize(
    "url, said",
    [
        ("rediss://me:hidden@localhost", "without TLS"),
        ("http://me:hidden@localhost", "redis://user:password@host:6379/0"),
        ("redis://:hidden@localhost/x", "must be a number"),
    ],
)
def test_an_address_of_redis_that_is_of_no_use_stops_the_start(url, said, tmp_path):
    assert "hidden" not in refuses_to_start({"REDIS_URL": url}, tmp_path, "REDIS_URL", said)


def test_an_env_file_is_read_and_the_environment_wins(make_server):
    server = make_server({"SERVICE_CONTROL": None})
    server.folder.mkdir(parents=True)
    (server.folder / ".env").write_text("# settings\n\nSERVICE_CONTROL=off\nSERVICE_LISTEN='127.0.0.1:1'\n")
    server.start()
    refused(Api(server).get("/control/setup-status"), 404)


def test_a_broken_env_file_stops_the_start(tmp_path):
    (tmp_path / ".env").write_text("SERVICE_CONTROL\n")
    refuses_to_start({}, tmp_path, ".env")


def test_secret_from_a_file(make_server, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=\n")
    server = make_server({"SERVICE_SECRET_FILE": str(secret)}).start()
    PlatformUser(server)


def test_secret_given_twice_stops_the_start(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=")
    refuses_to_start(
        {"SERVICE_SECRET_FILE": str(secret), "SERVICE_SECRET": secret.read_text()}, tmp_path, "SERVICE_SECRET"
    )
    refuses_to_start({"SERVICE_SECRET_FILE": str(tmp_path / "none")}, tmp_path, "SERVICE_SECRET")


def test_generated_secret_is_private(make_server):
    server = make_server().start()
    PlatformUser(server)
    for path in server.data.rglob("*"):
        if "secret" in path.name.lower() and path.is_file():
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
            break
    else:
        raise AssertionError("no file holds the secret")
    assert stat.S_IMODE(server.data.stat().st_mode) & 0o007 == 0, "other users may read the data directory"


# ---- data directory


def test_second_server_on_the_same_data(make_server, tmp_path):
    server = make_server().start()
    # Servers on MongoDB may share the store, not files on a disk.
    named = "SERVICE_STORAGE=s3" if mongo_server.IS_STORE else str(server.data)
    refuses_to_start({"SERVICE_DATA_DIR": str(server.data), **store_settings(server.data)}, tmp_path, named)
    assert Api(server).get("/health").status_code == 200


def test_data_directory_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    refuses_to_start({"SERVICE_DATA_DIR": str(tmp_path / "file")}, tmp_path, "file")
    refuses_to_start({"SERVICE_DATA_DIR": "/proc/nothing"}, tmp_path, "/proc/nothing")


def test_address_in_use(make_server, tmp_path):
    server = make_server().start()
    refuses_to_start({"SERVICE_LISTEN": f"127.0.0.1:{server.port}"}, tmp_path, str(server.port))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        refuses_to_start({"SERVICE_LISTEN": f"127.0.0.1:{taken.getsockname()[1]}"}, tmp_path)


# ---- logs


def test_logs_are_one_object_a_line_without_secrets(make_server):
    server = make_server().start()
    user = PlatformUser(server)
    project = user.create_project()
    key = project.api_key("admin")
    Api(server).post("/control/auth/login", {"email": user.email, "password": "a wrong one"})
    ok(key.get("/admin/collections"))
    server.stop()
    text = server.log_path.read_text()
    for line in text.splitlines():
        assert isinstance(json.loads(line), dict), line
    for secret in (PASSWORD, "a wrong one", user.token, user.tokens["refreshToken"], key.token, project.admin.token):
        assert secret not in text


def test_log_level(make_server):
    quiet = make_server({"SERVICE_LOG_LEVEL": "error"}).start()
    Api(quiet).get("/health")
    assert "/api/v1/health" not in quiet.log()


# ---- stopping


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_stops_well_with_idle_connections(make_server, sign):
    server = make_server().start()
    with RawConnection(server) as idle:
        assert idle.send(b"GET /api/v1/health HTTP/1.1\r\nhost: x\r\n\r\n").read_answer().status == 200
        server.process.send_signal(sign)
        assert server.process.wait(5 * SLOW) == 0
        assert idle.closed_within(1)


def half_a_request(server) -> RawConnection:
    connection = RawConnection(server)
    connection.send(
        b"POST /api/v1/control/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
        b"expect: 100-continue\r\ncontent-length: 48\r\n\r\n"
    )
    assert connection.read_answer().status == 100  # the server has read the head and waits for the body
    return connection.send(b'{"email": "a@b.example", ')


def begin_drain(server) -> None:
    """Sends SIGTERM, and waits until the server listens no more."""
    server.process.send_signal(signal.SIGTERM)

    def is_closed() -> bool:
        try:
            socket.create_connection(("127.0.0.1", server.port), timeout=2).close()
        except OSError:
            return True
        return False

    wait_until(is_closed)


def test_drain_lets_running_requests_end(make_server):
    server = make_server().start()
    with half_a_request(server) as connection:
        begin_drain(server)
        assert server.alive(), "the server ended under a request"
        answer = connection.send(b'"password": "12345678"}').read_answer()
        assert answer.status == 401
        assert answer.headers.get("connection", "").lower() == "close"
    assert server.process.wait(5 * SLOW) == 0


def test_second_signal_ends_at_once(make_server):
    server = make_server().start()
    with half_a_request(server):
        begin_drain(server)
        assert server.alive()
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(8 * SLOW)  # the request would be given 10 s
    server.process = None
    again = Server(server.folder / "again", data=server.data).start()
    again.stop()


def test_drain_has_an_end(make_server):
    server = make_server().start()
    with half_a_request(server):
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(14 * SLOW) == 0


# ---- rate limits of the auth actions

LIMITED = [
    ("/auth/register", {"email": "", "password": "12345678"}),
    ("/auth/login", {"email": "x@y.example", "password": "1"}),
    ("/auth/refresh", {"refreshToken": "x"}),
]


@pytest.mark.parametrize("path, body", LIMITED)
def test_rate_limit(server, owner, project, path, body):
    for api, prefix in ((project.public(), ""), (Api(server), "/control")):
        address = "198.51.100.7"
        for _ in range(10):
            assert api.post(prefix + path, body, address=address).status_code in (400, 401)
        response = api.post(prefix + path, body, address=address)
        refused(response, 429, "RATE_LIMITED")
        assert 0 < int(response.headers["retry-after"]) <= 60
        assert api.post(prefix + path, body, address="198.51.100.8").status_code in (400, 401)


def test_rate_limit_is_by_project_and_action(server, owner):
    one, other = owner.create_project(), owner.create_project()
    body = {"email": "x@y.example", "password": "wrong-password"}
    address = "198.51.100.20"
    for _ in range(11):
        last = one.public().post("/auth/login", body, address=address)
    refused(last, 429)
    refused(other.public().post("/auth/login", body, address=address), 401)
    refused(one.public().post("/auth/refresh", {"refreshToken": "x"}, address=address), 401)


def test_rate_limit_setting(make_server):
    server = make_server({"SERVICE_AUTH_RATE_LIMIT": "2/1"}).start()
    api = Api(server)
    body = {"email": "x@y.example", "password": "wrong-password"}
    statuses = [api.post("/control/auth/login", body, address="198.51.100.1").status_code for _ in range(3)]
    assert statuses == [401, 401, 429]
    again = wait_until(lambda: (found := api.post("/control/auth/login", body, address="198.51.100.1")).status_code != 429 and found)
    refused(again, 401)


def test_forwarded_addresses_are_believed_from_trusted_proxies_only(make_server):
    server = make_server({"SERVICE_TRUSTED_PROXIES": None, "SERVICE_AUTH_RATE_LIMIT": "3/60"}).start()
    api = Api(server)
    body = {"email": "x@y.example", "password": "wrong-password"}
    statuses = [api.post("/control/auth/login", body).status_code for _ in range(4)]
    assert statuses == [401, 401, 401, 429], "an untrusted x-forwarded-for moved the caller's address"


def test_the_last_untrusted_address_counts(make_server):
    """Addresses that a client wrote into x-forwarded-for come before that of the proxy, and do not count."""
    server = make_server(
        {"SERVICE_TRUSTED_PROXIES": "127.0.0.0/8,10.0.0.0/8", "SERVICE_AUTH_RATE_LIMIT": "3/60"}
    ).start()
    api = Api(server)
    body = {"email": "x@y.example", "password": "wrong-password"}
    statuses = [
        api.post("/control/auth/login", body, address=f"192.0.2.{n}, 198.51.100.9, 10.0.0.{n}").status_code
        for n in range(1, 5)
    ]
    assert statuses == [401, 401, 401, 429]
