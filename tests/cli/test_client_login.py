"""`manybase login` and `logout`, and the credentials of later commands: a login, an API key, a token."""

import json
import os
import stat
import time

import pyotp
import pytest

from support.client import PASSWORD, ok
from support.commands import complains, done, line_of, result
from support.terminal import on_terminal


def expire(person, access: str = "kept") -> None:
    """Makes the stored access token an expired one."""
    kept = json.loads(person.credentials.read_text())
    for login in kept["servers"].values():
        if access == "kept":
            login["expiresAt"] = "2020-01-01T00:00:00.000Z"
        else:
            login["accessToken"] = access
    person.credentials.write_text(json.dumps(kept))


def test_login_is_kept_for_its_owner_alone(person, server):
    somebody = person(login=False)
    ran = somebody.run("login", "--url", server.url + "/", "--email", somebody.email, "--stdin", typed=PASSWORD + "\n")
    assert done(ran) == f"signed in to {server.url} as {somebody.email}\n"
    assert stat.S_IMODE(os.stat(somebody.credentials).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(somebody.credentials.parent).st_mode) == 0o700
    assert PASSWORD not in somebody.credentials.read_text()
    assert list(json.loads(somebody.credentials.read_text())["servers"]) == [server.url]
    again = somebody.run("login", "--url", server.url, "--email", somebody.email, "--stdin", "--json", typed=PASSWORD)
    assert result(again) == {"url": server.url, "email": somebody.email}
    elsewhere = somebody.run(
        "login", "--email", somebody.email, "--stdin", typed=PASSWORD,
        MANYBASE_URL=server.url, XDG_CONFIG_HOME=str(somebody.home / "xdg"),
    )  # fmt: skip
    done(elsewhere)
    assert (somebody.home / "xdg" / "manybase" / "credentials.json").exists()


def test_the_login_is_refreshed(person):
    ann = person()
    project = ann.user.create_project()
    before = json.loads(ann.credentials.read_text())
    expire(ann)
    done(ann.run("link", "--project", project.slug))
    after = json.loads(ann.credentials.read_text())
    assert after != before
    # A token that the server refuses before its expiry.
    expire(ann, "not.a.token")
    done(ann.run("pull"))
    # The token is used until it expires.
    kept = ann.credentials.read_text()
    done(ann.run("status"))
    assert ann.credentials.read_text() == kept


def test_logout_ends_the_session(person, server):
    ann = person()
    sessions = len(ok(ann.user.get("/control/auth/sessions"))["sessions"])
    kept = json.loads(ann.credentials.read_text())["servers"][server.url]
    assert f"signed out of {server.url}" in done(ann.run("logout"))
    assert json.loads(ann.credentials.read_text())["servers"] == {}
    assert len(ok(ann.user.get("/control/auth/sessions"))["sessions"]) == sessions - 1
    assert ann.user.post("/control/auth/refresh", {"refreshToken": kept["refreshToken"]}).status_code == 401
    complains(ann.run("logout", "--url", server.url), "not signed in")


@pytest.fixture
def guarded(person):
    """A person with a second factor, and its secret."""
    somebody = person(login=False)
    secret = ok(somebody.user.post("/control/auth/mfa/totp/enroll"))["secret"]
    code = pyotp.TOTP(secret).at(int(time.time()) - 30)
    codes = ok(somebody.user.post("/control/auth/mfa/totp/activate", {"code": code}))["recoveryCodes"]
    return somebody, secret, codes


def test_second_factor_on_standard_input(guarded, server):
    somebody, secret, codes = guarded
    line = ("--url", server.url, "--email", somebody.email, "--stdin")
    complains(somebody.run("login", *line, typed=PASSWORD + "\n"), "second line", 2)
    complains(somebody.run("login", *line, typed=f"{PASSWORD}\n000000\n"), "try again")
    done(somebody.run("login", *line, typed=f"{PASSWORD}\n{pyotp.TOTP(secret).now()}\n"))
    done(somebody.run("login", *line, typed=f"{PASSWORD}\n{codes[0]}\n"))


def test_asked_on_a_terminal(guarded, server):
    somebody, secret, _ = guarded
    line = line_of("login", "--url", server.url)
    answers = [somebody.email + "\n", PASSWORD + "\n", pyotp.TOTP(secret).now() + "\n"]
    code, shown = on_terminal(line, answers, HOME=str(somebody.home))
    assert code == 0 and PASSWORD not in shown and "signed in" in shown, shown
    code, shown = on_terminal(line, [somebody.email + "\n", "\x03"], HOME=str(somebody.home))
    assert code == 2 and "no password was given" in shown


def test_a_machine_works_with_an_api_key(person, tmp_path, shop, server):
    nobody = person(login=False)
    key = shop.api_key("admin").token
    given = {"MANYBASE_URL": server.url, "MANYBASE_TOKEN": key}
    assert result(nobody.run("pull", "--json", **given))["project"]["id"] == shop.id
    done(nobody.run("push", "--yes", "--force", **given))
    # The folder is linked by now; a key of another project is refused for it.
    other = nobody.user.create_project()
    wrong = {**given, "MANYBASE_TOKEN": other.api_key("admin").token}
    complains(nobody.run("status", **wrong), "linked to")
    complains(nobody.run("status", "--project", other.slug, **given), f"is for the project {shop.id}")
    # A key needs the scope admin, and commands on several projects need a login.
    less = {**given, "MANYBASE_TOKEN": shop.api_key("read", "write").token}
    complains(nobody.run("status", **less), "does not let you")
    complains(nobody.run("promote", "--from", shop.slug, "--to", shop.slug, **given), "the token given is for")
    # The option takes precedence over the environment variable.
    complains(nobody.run("status", "--token", "nonsense", **given), "neither an API key")
    # Access tokens of both planes are accepted too.
    for token in (shop.owner.token, shop.admin.token):
        done(nobody.run("status", "--project", shop.id, **{**given, "MANYBASE_TOKEN": token}))
