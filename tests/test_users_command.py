"""`manybase users`: commands for locked-out users, with the running server and without one."""

import json
import socket
import subprocess

import pyotp
import pytest

from support.client import PASSWORD, Api, PlatformUser, ok, refused, unique
from support.commands import complains, done, line_of, result, run
from support.terminal import on_terminal
from support.waiting import SLOW

NEW = "another horse battery"


def sign_in(server, email: str, password: str, project=None):
    prefix = "/auth" if project else "/control/auth"
    return Api(server).post(f"{prefix}/login", {"email": email, "password": password}, project=project and project.id)


def everywhere_in(folder, text: str) -> list[str]:
    """Returns the files below `folder` that contain the text."""
    found = []
    for path in folder.rglob("*"):
        if path.is_file() and text.encode() in path.read_bytes():
            found.append(str(path))
    return found


@pytest.fixture(scope="module")
def boss(server):
    """The first user: super-admin."""
    return PlatformUser(server, "boss@example.com")


@pytest.fixture(scope="module")
def owner(boss):
    return boss


def test_list(server, boss, project):
    people = [PlatformUser(server, f"{unique('listed')}@Example.com") for _ in range(5)]
    listed = result(run("users list", "--json", "--email", "LISTED", data=server.data))
    assert [user["email"] for user in listed["users"]] == [user.email for user in people] and listed["after"] is None
    assert set(listed["users"][0]) >= {"id", "email", "status", "mfaEnabled", "platformRole", "createdAt"}
    assert "assword" not in json.dumps(listed)
    seen, after = [], ()
    while True:
        page = result(run("users list", "--json", "--email", "listed", "--limit", 2, *after, data=server.data))
        seen += [user["id"] for user in page["users"]]
        if page["after"] is None:
            break
        after = ("--after", page["after"])
    assert seen == [user.id for user in people]
    text = done(run("users list", data=server.data))
    assert "boss@example.com" in text and "super-admin" in text
    assert done(run("users list", "--email", "nobody.at", data=server.data)) == "no users\n"
    # The end users of a project.
    alice = project.end_user()
    for name in (project.id, project.slug):
        users = result(run("users list", "--json", "--project", name, data=server.data))["users"]
        assert [user["id"] for user in users] == [alice.id] and "platformRole" not in users[0]


@pytest.mark.parametrize("plane", ["platform", "project"])
@pytest.mark.parametrize("beside", [True, False], ids=["beside", "without"])
def test_password(make_server, plane, beside):
    server = make_server().start()
    first = PlatformUser(server)
    project = first.create_project() if plane == "project" else None
    user = project.end_user() if project else PlatformUser(server)
    path = "/auth/sessions" if project else "/control/auth/sessions"
    ok(user.get(path))
    more = ("--project", project.slug) if project else ()
    if not beside:
        server.stop()
    report = result(
        run("users password", user.email.upper(), "--stdin", "--json", *more, data=server.data, typed=NEW + "\n")
    )
    assert report == {"id": user.id, "email": user.email, "changed": True}
    if not beside:
        server.start()
    refused(user.get(path), 401, "UNAUTHENTICATED")
    refresh = {"refreshToken": user.tokens["refreshToken"]}
    where = {"token": None, "project": project.id} if project else {"token": None}
    refused(user.post(path.replace("sessions", "refresh"), refresh, **where), 401)
    refused(sign_in(server, user.email, PASSWORD, project), 401, "INVALID_CREDENTIALS")
    ok(sign_in(server, user.email, NEW, project))
    # The password is nowhere in clear: not in logs, not in the store, not in the output.
    assert NEW not in server.log_path.read_text(errors="replace")
    server.stop()
    assert everywhere_in(server.folder, NEW) == []


def test_a_new_password_lets_in_who_tried_too_often(make_server):
    server = make_server({"SERVICE_AUTH_RATE_LIMIT": "1000/60"}).start()
    user = PlatformUser(server)
    for _ in range(20):
        refused(sign_in(server, user.email, "wrong password"), 401)
    refused(sign_in(server, user.email, PASSWORD), 429)
    done(run("users password", user.id, "--stdin", data=server.data, typed=NEW))
    ok(sign_in(server, user.email, NEW))


@pytest.mark.parametrize(
    "typed, about, code",
    [
        ("", "no password came", 2),
        ("\n", "no password came", 2),
        ("short\n", "8 to 256 characters", 1),
        ("x" * 257 + "\n", "8 to 256 characters", 1),
        ("one line of it\nand another\n", "more than one line", 2),
        ("x" * 10000, "more than one line", 2),
        ("with a\0in it", "holds no NUL character", 2),
    ],
)
def test_passwords_that_are_none(server, boss, typed, about, code):
    ran = run("users password", boss.email, "--stdin", data=server.data, typed=typed)
    complains(ran, about, code)
    if len(typed) > 4:
        assert typed.strip() not in ran.stderr
    ok(sign_in(server, boss.email, PASSWORD))


def test_the_address_is_no_password(server, boss):
    ran = run("users password", boss.email, "--stdin", data=server.data, typed=boss.email)
    complains(ran, "must not be the email address")


def test_never_as_an_argument(server, boss):
    for line in (("--password", NEW), (NEW,), (f"--password={NEW}",)):
        ran = run("users password", boss.email, *line, data=server.data)
        assert ran.returncode == 2 and NEW not in ran.stdout
    complains(run("users password", boss.email, data=server.data, prefix=("setsid",)), "--stdin", 2)


def test_asked_on_a_terminal(server):
    user = PlatformUser(server)
    line = line_of("users password", user.email, data=server.data)
    code, shown = on_terminal(line, [NEW + "\n", "something else\n"])
    assert code == 2 and "not the same" in shown and NEW not in shown
    code, shown = on_terminal(line, ["\x03"])
    assert code == 2 and "no password" in shown
    code, shown = on_terminal(line, [NEW + "\n", NEW + "\n"])
    assert code == 0 and NEW not in shown and "new password" in shown
    ok(sign_in(server, user.email, NEW))


@pytest.mark.parametrize("beside", [True, False], ids=["beside", "without"])
def test_operator(make_server, beside):
    server = make_server().start()
    first, second = PlatformUser(server), PlatformUser(server)
    if not beside:
        server.stop()

    def operator(user, *more, **wanted):
        return run("users operator", user.email, *more, data=server.data, **wanted)

    complains(operator(first, "--remove"), "the last active super-admin")
    assert result(operator(second, "--json"))["changed"] is True
    assert result(operator(second, "--json"))["changed"] is False
    assert result(operator(first, "--remove", "--json"))["changed"] is True
    complains(operator(second, "--remove"), "the last active super-admin")
    if not beside:
        server.start()
    assert ok(second.get("/control/me"))["user"]["platformRole"] == "super-admin"
    assert ok(first.get("/control/me"))["user"]["platformRole"] == "user"


@pytest.mark.parametrize("beside", [True, False], ids=["beside", "without"])
def test_mfa_reset(make_server, beside):
    server = make_server().start()
    project = PlatformUser(server).create_project()
    user = project.end_user()
    app = pyotp.TOTP(ok(user.post("/auth/mfa/totp/enroll"))["secret"])
    ok(user.post("/auth/mfa/totp/activate", {"code": app.now()}))
    assert "mfaToken" in ok(sign_in(server, user.email, PASSWORD, project))
    if not beside:
        server.stop()
    report = result(run("users mfa-reset", user.id, "--project", project.id, "--json", data=server.data))
    assert report["changed"] is True
    report = result(run("users mfa-reset", user.id, "--project", project.id, "--json", data=server.data))
    assert report["changed"] is False
    if not beside:
        server.start()
    assert "accessToken" in ok(sign_in(server, user.email, PASSWORD, project))


def test_nobody_and_nowhere(server, boss, project):
    alice = project.end_user()
    complains(run("users mfa-reset", "nobody@example.com", data=server.data), "there is no user nobody@example.com")
    complains(run("users operator", "user_0", data=server.data), "there is no user user_0")
    complains(run("users operator", "boss", data=server.data), "there is no user boss")
    # A user of another plane or another project.
    complains(run("users mfa-reset", alice.id, data=server.data), "there is no user")
    complains(run("users mfa-reset", boss.id, "--project", project.slug, data=server.data), "there is no user")
    complains(run("users list", "--project", "nobodys", data=server.data), "there is no project nobodys")
    ran = run("users password", "nobody@example.com", "--stdin", data=server.data, typed=NEW)
    assert NEW not in complains(ran, "there is no user")
    failed = run("users mfa-reset", "nobody@example.com", "--json", data=server.data)
    assert json.loads(failed.stderr)["error"]["code"] == "NOT_FOUND"


@pytest.mark.parametrize(
    "line",
    [
        "users",
        "users dance",
        "users list more",
        "users list --limit",
        "users password",
        "users operator",
        "users operator a@example.com b@example.com",
        "users operator a@example.com --project x",
        "users mfa-reset",
    ],
)
def test_wrong_usage(line, tmp_path):
    ran = run(line, cwd=tmp_path)
    assert ran.returncode == 2 and ran.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("limit", ["0", "-1", "x", "1001", "1.5", "99999999999999999999"])
def test_limits_that_are_none(server, limit):
    complains(run("users list", f"--limit={limit}", data=server.data), "--limit", 2)


def test_all_of_it_is_audited_as_the_servers(make_server):
    server = make_server({"SERVICE_OPERATORS": "on"}).start()
    user = PlatformUser(server)
    other = PlatformUser(server)
    done(run("users operator", other.id, data=server.data))
    done(run("users password", other.id, "--stdin", data=server.data, typed=NEW))
    done(run("users mfa-reset", other.id, data=server.data))
    entries = ok(user.get("/control/audit?limit=200"))["entries"]
    mine = {entry["action"]: entry for entry in entries if entry["actor"]["kind"] == "server"}
    for action in ("operator.added", "user.passwordSet", "mfa.reset"):
        assert mine[action]["target"] == f"users/{other.id}"
    assert NEW not in json.dumps(entries)


def test_a_hidden_option_goes_over_the_socket_alone(server):
    """An error of the socket does not contain the password."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(20 * SLOW)
        connection.connect(str(server.data / "control.sock"))
        arguments = {"user": "x@example.com", "password": f"{NEW}\0"}
        line = json.dumps({"version": 1, "command": "users password", "arguments": arguments})
        connection.sendall(line.encode() + b"\n")
        said = b""
        while piece := connection.recv(65536):
            said += piece
    assert b"failure" in said and NEW.encode() not in said


def test_help():
    text = done(run("users --help"))
    for name in ("list", "password", "operator", "mfa-reset"):
        assert f"  {name} " in text
    assert "--password" not in subprocess.run(line_of("users password", "--help"), capture_output=True, text=True).stdout
