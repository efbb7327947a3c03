"""Signing keys that overlap, and the rotation of a deployment's secret with everything sealed under it."""

import base64
import json
import random
import signal
import subprocess
import threading
import time

import pyotp
import pytest

from support.client import PASSWORD, Api, PlatformUser, ok, refused
from support.commands import complains, done, environment, line_of, result, run
from support.server import check_data
from support.waiting import SLOW, wait_until


def head(token: str) -> dict:
    return json.loads(base64.urlsafe_b64decode(token.split(".")[0] + "=="))


def published(server) -> list[str]:
    return [key["kid"] for key in server.http.get("/api/v1/jwks.json").json()["keys"]]


def keys(server_or_data, **more) -> list[dict]:
    return result(run("keys list", "--json", data=getattr(server_or_data, "data", server_or_data), **more))["keys"]


def fresh_secret() -> str:
    return base64.b64encode(random.randbytes(32)).decode()


@pytest.fixture
def running(make_server):
    return make_server().start()


# ---- signing keys


def test_tokens_in_hand_go_on(running):
    owner = PlatformUser(running)
    project = owner.create_project()
    user = project.end_user()
    things = project.collection()
    before = head(user.token)["kid"]
    assert published(running) == [before] and keys(running)[0]["signs"]

    rotated = result(run("keys rotate", "--json", data=running.data))["keys"]
    assert [key["signs"] for key in rotated] == [True, False]
    assert rotated[1]["id"] == before and rotated[0]["verifiesUntil"] is None and rotated[1]["verifiesUntil"]
    assert set(published(running)) == {key["id"] for key in rotated}
    assert keys(running) == rotated
    for api in (user, project.admin):
        ok(api.get(f"/{things}"))
    ok(owner.get("/control/me"))

    for login in (user.login, owner.login):
        assert head(login()["accessToken"])["kid"] == rotated[0]["id"]
    ok(user.get(f"/{things}"))
    ok(owner.get("/control/me"))
    assert head(owner.exchange(project.id).token)["kid"] == rotated[0]["id"]
    text = done(run("keys list", data=running.data))
    assert "signs" in text and "verifies until" in text and len(text.splitlines()) == 2

    # The overlap is stored: both keys are valid after a restart.
    old = project.admin.token
    running.stop()
    assert keys(running) == rotated
    running.start()
    assert set(published(running)) == {key["id"] for key in rotated}
    ok(Api(running, old).get(f"/{things}"))


def test_without_a_server(running):
    user = PlatformUser(running)
    before = head(user.token)["kid"]
    running.stop()
    rotated = result(run("keys rotate", "--json", data=running.data))["keys"]
    assert rotated[1]["id"] == before
    running.start()
    ok(user.get("/control/me"))
    user.login()
    assert head(user.token)["kid"] == rotated[0]["id"]


def test_dropped_and_unknown_keys(running):
    owner = PlatformUser(running)
    project = owner.create_project()
    user = project.end_user()
    things = project.collection()
    ok(user.get(f"/{things}"))
    result(run("keys rotate", "--json", data=running.data))
    ok(user.get(f"/{things}"))
    left = result(run("keys rotate", "--drop-old", "--json", data=running.data))["keys"]
    assert len(left) == 1 and left[0]["signs"] and published(running) == [left[0]["id"]]
    # At once, also for cached tokens.
    for api, path in ((user, f"/{things}"), (project.admin, f"/{things}"), (owner, "/control/me")):
        refused(api.get(path), 401, "UNAUTHENTICATED")
    # Sessions continue: a refresh gives a token of the new key.
    body = {"refreshToken": user.tokens["refreshToken"]}
    renewed = ok(user.post("/auth/refresh", body, token=None, project=project.id))["accessToken"]
    ok(Api(running, renewed).get(f"/{things}"))
    # An unknown kid, and the kid of one key with the signature of another.
    other = json.dumps({"alg": "ES256", "typ": "JWT", "kid": "A" * 43}, separators=(",", ":")).encode()
    forged = base64.urlsafe_b64encode(other).decode().rstrip("=") + renewed[renewed.index(".") :]
    for token in (forged, renewed.split(".")[0] + user.token[user.token.index(".") :]):
        refused(Api(running, token).get(f"/{things}"), 401, "UNAUTHENTICATED")


def test_rotations_while_requests_run(running):
    project = PlatformUser(running).create_project()
    things = project.collection()
    users = [project.end_user() for _ in range(4)]
    over = threading.Event()
    wrong, kids = [], []

    def work(user):
        while not over.is_set():
            try:
                ok(user.get(f"/{things}"))
                user.login()
                kids.append(head(user.token)["kid"])
            except BaseException as failure:  # noqa: BLE001 - reported to the test
                wrong.append(failure)
                return

    threads = [threading.Thread(target=work, args=(user,)) for user in users]
    for thread in threads:
        thread.start()
    try:
        for _ in range(5):
            done(run("keys rotate", data=running.data))
            # Requests run between two rotations.
            enough = len(kids) + 2 * len(users)
            wait_until(lambda: wrong or len(kids) >= enough)  # noqa: B023
    finally:
        over.set()
        for thread in threads:
            thread.join()
    assert not wrong, wrong[0]
    assert len(set(kids)) > 1 and set(kids) <= set(published(running))


def test_twenty_in_a_row(running):
    user = PlatformUser(running)
    refusals = 0
    for _ in range(20):
        ran = run("keys rotate", "--json", data=running.data)
        if ran.returncode == 0:
            continue
        refusals += 1
        error = json.loads(ran.stderr)["error"]
        assert ran.returncode == 1 and error["code"] == "CONFLICT"
        assert "10 keys" in error["message"] and "--drop-old" in error["message"]
    assert refusals == 11 and len(published(running)) == 10
    ok(user.get("/control/me"))
    assert len(result(run("keys rotate", "--drop-old", "--json", data=running.data))["keys"]) == 1
    refused(user.get("/control/me"), 401)


def test_wrong_usage(running):
    for line in ("keys", "keys turn", "keys rotate now", "keys reseal --new-secret-file"):
        assert run(line, data=None).returncode == 2, line
    complains(run("keys reseal", data=running.data), "stop it before")


def test_nothing_there(tmp_path):
    complains(run("keys list", data=tmp_path), "there is no store")
    complains(run("keys rotate", data=tmp_path), "there is no store")
    complains(run("keys reseal", data=tmp_path), "there is no store")
    assert list(tmp_path.iterdir()) == []


# ---- the deployment's secret


class Sealed:
    """A deployment with a value of every kind that is sealed."""

    def __init__(self, server, factors: int = 1):
        self.server = server
        self.owner = PlatformUser(server)
        self.project = self.owner.create_project()
        self.enrolled = [self.enroll(self.project.end_user()) for _ in range(factors)]
        ok(
            self.project.admin.put(
                "/admin/auth/oauth/providers/google", {"clientId": "c", "clientSecret": "a-client-secret", "enabled": True}
            ),
            204,
        )

    def enroll(self, user):
        app = pyotp.TOTP(ok(user.post("/auth/mfa/totp/enroll"))["secret"])
        codes = ok(user.post("/auth/mfa/totp/activate", {"code": app.at(time.time() - 30)}))["recoveryCodes"]
        return user, codes

    def works(self, some: int = 3):
        """Checks that signing keys and second factors can be read: recovery codes open the record with the sealed
        secret."""
        ok(self.owner.get("/control/me"))
        for user, codes in random.sample(self.enrolled, min(some, len(self.enrolled))):
            body = {"email": user.email, "password": PASSWORD}
            token = ok(user.post("/auth/login", body, token=None, project=self.project.id))["mfaToken"]
            body = {"mfaToken": token, "code": codes.pop()}
            ok(user.post("/auth/mfa/verify", body, token=None, project=self.project.id))


def test_a_new_secret_in_the_directory(running):
    sealed = Sealed(running)
    before = (running.data / "secret").read_text()
    running.stop()
    report = result(run("keys reseal", "--json", data=running.data))
    assert report["secret"] == "directory" and report["values"] >= 3 and report["unreadable"] == 0
    after = running.data / "secret"
    assert after.read_text() != before and after.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in running.data.iterdir() if "secret" in path.name) == ["secret"]
    running.start()
    sealed.works()
    running.stop()
    # The former secret is refused, and nothing changes.
    after_text = after.read_text()
    after.write_text(before)
    running.spawn()
    assert running.process.wait(20 * SLOW) == 1 and "another SERVICE_SECRET" in running.log()
    complains(run("keys reseal", data=running.data), "another SERVICE_SECRET")
    complains(run("keys rotate", data=running.data), "another SERVICE_SECRET")
    after.write_text(after_text)
    running.start()
    sealed.works()


def test_a_new_secret_from_a_file(running, tmp_path):
    sealed = Sealed(running)
    running.stop()
    file = tmp_path / "next"
    for text, about in (("", "must be 32"), ("short\n", "must be 32"), ("A" * 43 + "=", "is not a random secret")):
        file.write_text(text)
        complains(run("keys reseal", "--new-secret-file", file, data=running.data), about)
    complains(run("keys reseal", "--new-secret-file", tmp_path / "none", data=running.data), "none")
    file.write_text((running.data / "secret").read_text())
    complains(run("keys reseal", "--new-secret-file", file, data=running.data), "the current one")
    file.write_text(fresh_secret() + "\n")
    text = done(run("keys reseal", "--new-secret-file", file, data=running.data))
    assert file.read_text().strip() not in text
    assert (running.data / "secret").read_text() == file.read_text()
    running.start()
    sealed.works()


@pytest.mark.parametrize("given", [True, False])
def test_a_secret_from_the_environment(make_server, tmp_path, given):
    before, after = fresh_secret(), fresh_secret()
    server = make_server({"SERVICE_SECRET": before}).start()
    sealed = Sealed(server)
    server.stop()
    assert not (server.data / "secret").exists()
    own = {"SERVICE_SECRET": before}
    complains(run("keys reseal", data=server.data), "SERVICE_SECRET")
    complains(run("keys reseal", data=server.data, settings={"SERVICE_SECRET": after}), "another SERVICE_SECRET")
    if given:
        file = tmp_path / "next"
        file.write_text(after)
        text = done(run("keys reseal", "--new-secret-file", file, data=server.data, settings=own))
        assert str(file) in text
    else:
        text = done(run("keys reseal", data=server.data, settings=own))
        file = server.data / "new-secret"
        assert str(file) in text and file.stat().st_mode & 0o777 == 0o600
        after = file.read_text().strip()
        assert after not in text
    assert not (server.data / "secret").exists()
    server.spawn()
    assert server.process.wait(20 * SLOW) == 1 and "another SERVICE_SECRET" in server.log()
    # Without a secret the server does not generate another one.
    server.settings["SERVICE_SECRET"] = None
    server.spawn()
    assert server.process.wait(20 * SLOW) == 1 and "set SERVICE_SECRET" in server.log()
    assert not (server.data / "secret").exists()
    server.settings["SERVICE_SECRET"] = after
    server.start()
    sealed.works()


def test_rotated_refresh_tokens_end_with_the_secret(running):
    project = PlatformUser(running).create_project()
    ok(project.owner.patch(f"/control/projects/{project.id}", {"settings": {"rotateRefreshTokens": True}}), 204)
    plain, rotated = project.end_user(), project.end_user()

    def refresh(user, token):
        return user.post("/auth/refresh", {"refreshToken": token}, token=None, project=project.id)

    second = ok(refresh(rotated, rotated.tokens["refreshToken"]))["refreshToken"]
    running.stop()
    done(run("keys reseal", data=running.data))
    running.start()
    ok(refresh(plain, plain.tokens["refreshToken"]))
    refused(refresh(rotated, second), 401)


def test_what_a_copy_of_a_project_has_sealed_is_its_own(running, tmp_path):
    """A client secret is bound to its project: in a copy under another id it is bound to that id."""
    sealed = Sealed(running)
    done(run("backup", "--to", tmp_path / "b", "--project", sealed.project.slug, data=running.data))
    copy = ("--from", tmp_path / "b", "--project", sealed.project.slug, "--as", "a-copy")
    done(run("restore", *copy, data=running.data))
    running.stop()
    report = result(run("keys reseal", "--json", data=running.data))
    assert report["unreadable"] == 0 and report["values"] >= 5


def resealed(data):
    """Returns the finished command; None where one that was killed still counts as running, as it does on MongoDB."""
    ran = run("keys reseal", "--json", data=data)
    if "killed less than half a minute ago" in ran.stdout + ran.stderr:
        return None
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran


def test_a_kill_in_the_middle_leaves_one_of_the_two(make_server):
    """After a kill at any time the server starts on the data directory and reads everything."""
    server = make_server({"SERVICE_AUTH_RATE_LIMIT": "100000/60"}).start()
    sealed = Sealed(server, factors=30)
    for _ in range(15):
        project = sealed.owner.create_project()
        for number in range(40):
            provider = {"clientId": "c", "clientSecret": f"secret{number}", "issuer": "https://id.example.com"}
            ok(project.admin.put(f"/admin/auth/oauth/providers/oidc-p{number}", {**provider, "enabled": False}), 204)
    server.stop()
    times = []
    for command in ("keys list", "keys reseal"):
        begun = time.monotonic()
        ran = run(command, data=server.data)
        times.append(time.monotonic() - begun)
        # A command that takes long reports its progress.
        assert ran.returncode == 0, ran.stdout + ran.stderr
    before_it, whole = times
    changed = 0
    rounds = 16
    for number in range(rounds):
        before = (server.data / "secret").read_text()
        process = subprocess.Popen(
            line_of("keys reseal", data=server.data),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment(server.data),
        )
        # Opening the store takes as long as in a command that does little else.
        time.sleep(before_it * 0.7 + (whole - before_it * 0.7) * number / rounds)
        process.send_signal(signal.SIGKILL)
        process.wait(60 * SLOW)
        server.start()
        sealed.works(some=2)
        server.stop()
        changed += (server.data / "secret").read_text() != before
        assert not (server.data / "secret.new").exists()
    assert "no problems" in check_data(server.data).stdout
    assert changed < rounds
    ran = wait_until(lambda: resealed(server.data), 60, "the secret is never changed")
    report = json.loads(ran.stdout)
    assert report["unreadable"] == 0 and report["values"] >= 30 + 15 * 40
