"""Refresh sessions: rotation of tokens, use of a stolen token, and ending sessions."""

import base64
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.client import PASSWORD, Api, EndUser, ok, refused


@pytest.fixture(scope="module")
def rotating(owner):
    project = owner.create_project()
    ok(owner.patch(f"/control/projects/{project.id}", {"settings": {"rotateRefreshTokens": True}}), 204)
    return project


def refresh(project, token):
    return project.public().post("/auth/refresh", {"refreshToken": token})


def rotated(project, token) -> str:
    body = ok(refresh(project, token))
    assert set(body) == {"accessToken", "expiresIn", "refreshToken"}
    return body["refreshToken"]


def test_each_refresh_gives_the_next_token(rotating):
    user = EndUser(rotating)
    first = user.tokens["refreshToken"]
    second = rotated(rotating, first)
    third = rotated(rotating, second)
    assert len({first, second, third}) == 3
    (session,) = ok(user.get("/auth/sessions"))["sessions"]
    assert set(session) == {"id", "createdAt", "lastUsedAt", "expiresAt", "userAgent", "ip", "current"}
    ok(rotating.public().post("/auth/logout", {"refreshToken": third}), 204)
    refused(refresh(rotating, third), 401, "UNAUTHENTICATED")


def test_a_refresh_token_finds_its_project(server, rotating, project):
    nobody = Api(server)
    for home in (rotating, project):
        user = EndUser(home)
        body = ok(nobody.post("/auth/refresh", {"refreshToken": user.tokens["refreshToken"]}))
        ok(Api(server, body["accessToken"], home.id).get("/auth/sessions"))
        last = body.get("refreshToken", user.tokens["refreshToken"])
        body = ok(nobody.post("/auth/refresh", {"refreshToken": last}))
        last = body.get("refreshToken", last)
        ok(nobody.post("/auth/logout", {"refreshToken": last}), 204)
        refused(nobody.post("/auth/refresh", {"refreshToken": last}), 401, "UNAUTHENTICATED")
    # With the id of another project it is looked up there, and not found.
    text = EndUser(rotating).tokens["refreshToken"].split("~")[1]
    refused(nobody.post("/auth/refresh", {"refreshToken": f"{project.id}~{text}"}), 401, "UNAUTHENTICATED")
    # A token without a project, as older versions issued it, needs the header.
    refused(nobody.post("/auth/refresh", {"refreshToken": text}), 400, "MISSING_PROJECT")
    refused(refresh(rotating, text), 401, "UNAUTHENTICATED")


def test_two_tabs_get_the_same_successor(rotating):
    first = EndUser(rotating).tokens["refreshToken"]
    with ThreadPoolExecutor(10) as pool:
        given = set(pool.map(lambda _: rotated(rotating, first), range(10)))
    assert len(given) == 1
    rotated(rotating, given.pop())


def test_a_replayed_token_ends_the_session(rotating):
    user = EndUser(rotating)
    first = user.tokens["refreshToken"]
    second = rotated(rotating, first)
    third = rotated(rotating, second)
    refused(refresh(rotating, first), 401, "UNAUTHENTICATED")
    refused(refresh(rotating, third), 401, "UNAUTHENTICATED")
    refused(user.get("/auth/sessions"), 401, "UNAUTHENTICATED")
    refused(Api(user.server, user.token).get("/auth/sessions"), 401)


def test_an_invented_token_ends_nothing(rotating):
    user = EndUser(rotating)
    first = user.tokens["refreshToken"]
    second = rotated(rotating, first)
    family = second.split(".")[0]
    for invented in (f"{family}.2.{'A' * 24}", f"{family}.1.{'A' * 24}", f"{family}.1", f"{family}..", family + ".0.x"):
        refused(refresh(rotating, invented), 401, "UNAUTHENTICATED")
    rotated(rotating, second)


def test_rotation_of_one_project_is_no_others(rotating, project):
    user = EndUser(rotating)
    second = rotated(rotating, user.tokens["refreshToken"])
    refused(refresh(project, second), 401, "UNAUTHENTICATED")
    assert "refreshToken" not in ok(refresh(project, EndUser(project).tokens["refreshToken"]))
    rotated(rotating, second)


@pytest.mark.parametrize("plane", ["project", "control"])
def test_ending_all_others(owner, project, plane):
    prefix, api = ("/auth", project.public()) if plane == "project" else ("/control/auth", Api(owner.server))
    body = {"email": f"many-{plane}@example.com", "password": PASSWORD}
    ok(api.post(prefix + "/register", body), 201)
    sessions = [ok(api.post(prefix + "/login", body)) for _ in range(4)]
    apis = [Api(owner.server, session["accessToken"]) for session in sessions]
    for one in apis:
        assert len(ok(one.get(prefix + "/sessions"))["sessions"]) == 4
    ok(apis[2].delete(prefix + "/sessions"), 204)
    assert len(ok(apis[2].get(prefix + "/sessions"))["sessions"]) == 1
    ok(api.post(prefix + "/refresh", {"refreshToken": sessions[2]["refreshToken"]}))
    for index in (0, 1, 3):
        refused(apis[index].get(prefix + "/sessions"), 401, "UNAUTHENTICATED")
        refused(api.post(prefix + "/refresh", {"refreshToken": sessions[index]["refreshToken"]}), 401)
    ok(apis[2].delete(prefix + "/sessions"), 204)
    refused(api.delete(prefix + "/sessions"), 401, "UNAUTHENTICATED")


# ---- one spelling of an access token

ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def mirrored(token: str) -> str:
    """Returns the other signature that is valid for the same text: s becomes the order of P-256's group minus s."""
    signed, _, signature = token.rpartition(".")
    raw = base64.urlsafe_b64decode(signature + "==")
    other = raw[:32] + (ORDER - int.from_bytes(raw[32:], "big")).to_bytes(32, "big")
    return signed + "." + base64.urlsafe_b64encode(other).rstrip(b"=").decode()


def other_spellings(token: str) -> list[bytes]:
    text = token.encode()
    found = [mirrored(token).encode(), text + b"=", text + b"==", text.replace(b".", b"=.", 1), text[:-1] + b"\xff"]
    found += [text.replace(b"_", byte) for byte in (b"\x80", b"\xdf", b"\xff") if b"_" in text]
    last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".index(token[-1])
    return found + [text[:-1] + "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"[last ^ 1].encode()]


def test_a_token_has_one_spelling(server, owner, project):
    for api, path in (
        (owner, "/control/me"),
        (project.admin, "/admin/collections"),
        (project.end_user(), "/auth/sessions"),
    ):
        ok(api.get(path))
        for spelling in other_spellings(api.token):
            # As bytes, since the client would refuse to send some of them as text.
            headers = [(b"authorization", b"Bearer " + spelling)]
            response = server.http.get("/api/v1" + path, headers=headers)
            refused(response, 401, "UNAUTHENTICATED")
        ok(api.get(path))
