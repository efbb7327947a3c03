"""The set-up code, which the first registration needs if its request may come from another machine."""

import concurrent.futures
import json
import socket
import stat

import pytest

from support.client import PASSWORD, Api, PlatformUser, ok, refused, unique
from support.ports import free_port

REGISTER = "/control/auth/register"
STATUS = "/control/setup-status"
LOCAL = {"SERVICE_TRUSTED_PROXIES": None}


def person(**more) -> dict:
    return {"email": f"{unique('first')}@example.com", "password": PASSWORD, **more}


def asks(server, **headers) -> bool:
    """Returns whether a first registration with these headers needs the code, after checking both the status and the
    registration."""
    http = server.http
    status = http.get("/api/v1" + STATUS, headers=headers).json()
    assert status["needsSetup"] is True
    answer = http.post("/api/v1" + REGISTER, json=person(setupCode="wrong"), headers=headers)
    assert answer.status_code == (403 if status["setupCodeRequired"] else 201), answer.text
    return status["setupCodeRequired"]


def test_on_the_machine_itself_none_is_needed(make_server):
    server = make_server(LOCAL).start()
    file = server.data / "setup-code"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert asks(server) is False
    server.stop()
    assert not file.exists()


@pytest.mark.parametrize(
    "header",
    [
        ("host", "backend.example.com"),
        ("host", "127.0.0.1.example.com"),
        ("forwarded", "for=192.0.2.1"),
        ("via", "1.1 proxy"),
        ("x-forwarded-for", "127.0.0.1"),
        ("x-forwarded-proto", "https"),
        ("x-real-ip", "192.0.2.1"),
        ("cf-connecting-ip", "192.0.2.1"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("origin", "http://localhost:@evil.example"),
        ("sec-fetch-site", "cross-site"),
    ],
    ids=lambda header: f"{header[0]}-{header[1]}",
)
def test_what_a_request_says_of_other_machines_and_sites(make_server, header):
    server = make_server(LOCAL).start()
    assert asks(server, **dict([header])) is True
    assert asks(server) is False


def test_a_page_of_another_site_registers_no_first_user(make_server):
    """A Blob without a type, sent by fetch() with mode no-cors: no preflight, and the host is this machine's."""
    server = make_server(LOCAL).start()
    body = json.dumps(person())
    foreign = {"host": f"localhost:{server.port}", "origin": "https://evil.example", "sec-fetch-site": "cross-site"}
    foreign["sec-fetch-mode"] = "no-cors"
    refused(server.http.post("/api/v1" + REGISTER, content=body, headers=foreign), 403, "FORBIDDEN", "/setupCode")
    # Nor by a form, whose page may hide its origin.
    foreign.update(origin="null", **{"sec-fetch-mode": "navigate", "content-type": "text/plain"})
    assert server.http.post("/api/v1" + REGISTER, content=body, headers=foreign).status_code in (403, 415)
    assert server.http.get("/api/v1" + STATUS).json()["needsSetup"] is True

    # A link on another site leads to the hosted page, whose own request needs no code.
    page = server.http.get("/auth/login", params={"plane": "control"}, headers={"sec-fetch-site": "cross-site"})
    assert 'name="setupCode"' not in page.text
    own = {"origin": f"http://localhost:{server.port}", "sec-fetch-site": "same-origin"}
    made = ok(server.http.post("/api/v1" + REGISTER, content=body, headers=own), 201)
    assert made["user"]["platformRole"] == "super-admin"


def test_a_proxy_that_adds_no_header_speaks_http_1_0(make_server):
    server = make_server(LOCAL).start()
    body = json.dumps(person())
    head = f"Host: 127.0.0.1:{server.port}\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    for version, status in (("1.0", 403), ("1.1", 201)):
        request = f"POST /api/v1{REGISTER} HTTP/{version}\r\n{head}{body}"
        with socket.create_connection(("127.0.0.1", server.port)) as connection, connection.makefile("rb") as answer:
            connection.sendall(request.encode())
            assert int(answer.readline().split()[1]) == status


@pytest.mark.parametrize(
    "settings",
    [
        {"SERVICE_TRUSTED_PROXIES": "127.0.0.1"},
        {**LOCAL, "SERVICE_BASE_URL": "https://backend.example.com"},
    ],
    ids=["proxies", "base-url"],
)
def test_what_settings_say_of_other_machines(make_server, settings):
    server = make_server(settings).start()
    assert asks(server) is True


def test_a_listener_for_other_machines(make_server):
    server = make_server(LOCAL)
    server.port = free_port()
    server.settings["SERVICE_LISTEN"] = f"0.0.0.0:{server.port}"
    server.start()
    assert asks(server) is True


def test_the_code_is_printed_kept_and_used_up(make_server):
    server = make_server().start()
    code = server.setup_code()["setupCode"]
    assert len(code) >= 22
    assert json.loads(server.logged("set-up code"))["setupCode"] == code
    visitor = Api(server)
    for given, message in (({}, "is needed"), ({"setupCode": code[:-1]}, "is not the set-up code")):
        error = refused(visitor.post(REGISTER, person(**given)), 403, "FORBIDDEN", "/setupCode")
        assert error["details"][0]["message"] == message and code not in error["message"]
    refused(visitor.post(REGISTER, person(setupCode=7)), 400, "VALIDATION", "/setupCode")

    server.kill()
    server.start()
    assert server.setup_code()["setupCode"] == code
    first = ok(Api(server).post(REGISTER, person(setupCode=code)), 201)["user"]
    assert first["platformRole"] == "super-admin"
    status = ok(Api(server).get(STATUS))
    assert status["needsSetup"] is False and status["setupCodeRequired"] is False
    # No code is needed any more, and a code is ignored.
    for given in ({}, {"setupCode": code}):
        assert ok(Api(server).post(REGISTER, person(**given)), 201)["user"]["platformRole"] == "user"
    server.stop()
    assert server.setup_code() == {}
    # The state after a crash between the commit and the removal of the file.
    (server.data / "setup-code").write_text(code + "\n")
    server.start()
    assert server.setup_code() == {} and ok(Api(server).get(STATUS))["setupCodeRequired"] is False
    server.stop()  # its log is complete then
    assert code not in server.log_path.read_text().rpartition('"listening"')[2]


def test_a_file_without_a_code_stops_the_start(make_server):
    server = make_server()
    server.data.mkdir(parents=True)
    (server.data / "setup-code").write_text("\n")
    with pytest.raises(AssertionError, match="setup-code holds an invalid set-up code: remove it"):
        server.start()


def test_of_many_at_once_one_is_the_first(make_server):
    server = make_server().start()
    code = server.setup_code()
    bodies = [person(**(code if n % 2 else {"setupCode": f"{n:022}"})) for n in range(12)]
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda body: Api(server).post(REGISTER, body), bodies))
    made = [answer.json()["user"]["platformRole"] for answer in answers if answer.status_code == 201]
    assert made.count("super-admin") == 1
    for n, answer in enumerate(answers):
        # A wrong code is refused before the first user exists, and ignored afterwards.
        assert answer.status_code == 201 or (n % 2 == 0 and answer.status_code == 403), answer.text
        if n % 2 == 0 and answer.status_code == 201:
            assert answer.json()["user"]["platformRole"] == "user"


def test_tries_count(make_server):
    server = make_server({"SERVICE_AUTH_RATE_LIMIT": "3/60"}).start()
    api = Api(server)
    tries = [api.post(REGISTER, person(setupCode=f"{n:022}"), address="198.51.100.7") for n in range(4)]
    assert [answer.status_code for answer in tries] == [403, 403, 403, 429]
    refused(api.post(REGISTER, person(**server.setup_code()), address="198.51.100.7"), 429, "RATE_LIMITED")


def test_invitations_do_not_go_around_it(make_server):
    server = make_server({"SERVICE_OPERATORS": "boss@example.com", "SERVICE_CONTROL_REGISTRATION": "invited"}).start()
    api = Api(server)
    boss = {"email": "boss@example.com", "password": PASSWORD}
    refused(api.post(REGISTER, boss), 403, "FORBIDDEN", "/setupCode")
    refused(api.post(REGISTER, {**boss, "invite": "x.y"}), 403, "FORBIDDEN", "/setupCode")
    refused(api.post("/control/auth/invites/accept", {"token": "x.y", "password": PASSWORD}), 400, "VALIDATION")
    assert ok(api.get(STATUS))["needsSetup"] is True


def test_end_users_have_none(make_server):
    server = make_server().start()
    project = PlatformUser(server).create_project()
    refused(project.public().post("/auth/register", person(setupCode="x")), 400, "VALIDATION", "/setupCode")
