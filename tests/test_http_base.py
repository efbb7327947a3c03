"""Routing, methods, CORS, compression, request ids, and limits for well-formed requests."""

import gzip
import json

import jwt
import pytest

from support.client import Api, ok, refused, unique
from support.raw_http import RawConnection, raw

API = "/api/v1"


@pytest.fixture(scope="module")
def anonymous(server):
    return Api(server)


# ---- service routes


def test_health(anonymous):
    body = ok(anonymous.get("/health"))
    assert body["status"] == "ok"
    assert {"status", "version", "commit", "chartVersion"} == set(body)


def test_ready(anonymous):
    assert anonymous.get("/ready").status_code == 200


def test_jwks_verifies_tokens_of_both_planes(anonymous, owner, project):
    keys = ok(anonymous.get("/jwks.json"))["keys"]
    assert keys
    for key in keys:
        assert key["kty"] == "EC" and key["crv"] == "P-256" and key.get("alg", "ES256") == "ES256" and key["kid"]
        assert "d" not in key, "a private key is public"
    public = {key["kid"]: jwt.PyJWK(key, algorithm="ES256").key for key in keys}
    for token, audience in ((owner.token, "control"), (project.admin.token, "project")):
        header = jwt.get_unverified_header(token)
        assert header["alg"] == "ES256"
        claims = jwt.decode(
            token, public[header["kid"]], algorithms=["ES256"], audience=audience, issuer=owner.server.url
        )
        assert {"iss", "aud", "sub", "iat", "exp"} <= set(claims)
        assert claims["exp"] - claims["iat"] == 900
    assert claims["pid"] == project.id and claims["role"] == "Owner" and claims["perms"] == ["*"]


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/nothing",
        "/api",
        "/api/",
        "/api/v1",
        "/api/v1/",
        "/api/v2/health",
        "/apiv1/health",
        "/API/v1/health",
        "/api/v1/health/more",
        "/api/v1/control",
        "/api/v1/control/nothing",
        "/api/v1/admin",
        "/api/v1/admin/nothing",
        "/api/v1/auth",
        "/api/v1/auth/nothing",
        "/metrics",
        "/livez",
        "/api/v1//health",
        "/api/v1/%68ealth/x",
        "/api/v1/control/projects/x/y/z",
        "/favicon.ico",
        "/.env",
        "/..%2f..%2fetc/passwd",
        "/api/v1/projects",
    ],
)
def test_unknown_route(server, path):
    with RawConnection(server) as connection:
        answer = connection.send(f"GET {path} HTTP/1.1\r\nhost: x\r\n\r\n".encode()).read_answer()
    assert answer.status == 404, answer
    assert json.loads(answer.body)["error"]["code"] == "NOT_FOUND"
    assert answer.headers["x-request-id"]


@pytest.mark.parametrize(
    "method, path, allowed",
    [
        ("POST", "/health", {"GET", "HEAD", "OPTIONS"}),
        ("DELETE", "/jwks.json", {"GET", "HEAD", "OPTIONS"}),
        ("GET", "/auth/register", {"POST", "OPTIONS"}),
        ("PUT", "/auth/login", {"POST", "OPTIONS"}),
        ("DELETE", "/control/projects", {"GET", "HEAD", "POST", "OPTIONS"}),
        ("POST", "/control/me", {"GET", "HEAD", "PATCH", "OPTIONS"}),
        ("PATCH", "/admin/collections", {"GET", "HEAD", "POST", "OPTIONS"}),
        ("POST", "/admin/collections/x", {"DELETE", "OPTIONS"}),
        ("PATCH", "/admin/collections/x/schema", {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"}),
        ("GET", "/admin/users/x/block", {"POST", "OPTIONS"}),
    ],
)
def test_wrong_method(anonymous, method, path, allowed):
    response = anonymous.call(method, path)
    refused(response, 405, "METHOD_NOT_ALLOWED")
    got = {item.strip() for item in response.headers["allow"].split(",")}
    assert got | {"HEAD", "OPTIONS"} == allowed | {"HEAD", "OPTIONS"}


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "PROPFIND", "FOO", "get"])
def test_an_unknown_method(server, method):
    answer = raw(server, f"{method} /api/v1/health HTTP/1.1\r\nhost: x\r\n\r\n".encode())
    assert answer.status in (400, 405, 501)


def test_head_is_get_without_a_body(server, anonymous, project):
    for path in ("/health", "/jwks.json", "/control/setup-status"):
        got = anonymous.get(path)
        head = anonymous.call("HEAD", path)
        assert head.status_code == 200 and not head.content
        assert head.headers["content-length"] == str(len(got.content))
        assert head.headers["content-type"] == got.headers["content-type"]
    collection = project.collection()
    document = project.admin.create(collection, {"a": 1})
    assert project.admin.call("HEAD", f"/{collection}/{document['id']}").status_code == 200
    assert project.admin.call("HEAD", f"/{collection}/missing").status_code == 404
    with RawConnection(server) as connection:
        connection.send(
            b"HEAD /api/v1/health HTTP/1.1\r\nhost: x\r\n\r\nGET /api/v1/health HTTP/1.1\r\nhost: x\r\n\r\n"
        )
        assert connection.read_answer(head_only=True).status == 200
        assert json.loads(connection.read_answer().body)["status"] == "ok"


# ---- request ids


@pytest.mark.parametrize("given", ["a", "Abc-1.2_3", "x" * 64])
def test_request_id_is_kept(anonymous, given):
    assert anonymous.get("/health", headers={"x-request-id": given}).headers["x-request-id"] == given


@pytest.mark.parametrize("given", ["", "x" * 65, "a b", "a/b", "ä".encode(), "a;b", '"a"', "<a>"])
def test_request_id_of_another_format_is_replaced(anonymous, given):
    got = anonymous.get("/health", headers={"x-request-id": given}).headers["x-request-id"]
    assert got and got != given


def test_request_ids_differ(anonymous):
    assert len({anonymous.get("/health").headers["x-request-id"] for _ in range(20)}) == 20


def test_request_id_on_errors_and_in_the_log(make_server):
    server = make_server({"SERVICE_LOG_LEVEL": "debug"}).start()
    anonymous = Api(server)
    given = unique("trace-me-")
    response = anonymous.get("/control/me", headers={"x-request-id": given})
    refused(response, 401)
    assert response.headers["x-request-id"] == given
    assert given in server.log_path.read_text()


# ---- CORS and OPTIONS


def preflight(api, path, origin="https://app.example", method="POST"):
    return api.call(
        "OPTIONS",
        path,
        headers={
            "origin": origin,
            "access-control-request-method": method,
            "access-control-request-headers": "authorization, content-type",
        },
    )


@pytest.mark.parametrize("path", ["/posts", "/posts/x", "/auth/login", "/auth/sessions"])
def test_data_plane_preflight_from_any_origin(anonymous, path):
    response = preflight(anonymous, path)
    assert response.status_code in (200, 204)
    assert response.headers["access-control-allow-origin"] in ("*", "https://app.example")
    assert "POST" in response.headers["access-control-allow-methods"] or path == "/auth/sessions"
    allowed = response.headers["access-control-allow-headers"].lower()
    assert allowed == "*" or ("authorization" in allowed and "content-type" in allowed)


@pytest.mark.parametrize("path", ["/control/projects", "/control/auth/login", "/admin/collections"])
def test_control_and_admin_preflight_from_a_foreign_origin(anonymous, path):
    response = preflight(anonymous, path)
    assert response.status_code in (200, 204)
    assert "access-control-allow-origin" not in response.headers


def test_data_plane_answers_carry_cors(project):
    response = project.public().post(
        "/auth/login", {"email": "a@b.example", "password": "12345678"}, headers={"origin": "https://app.example"}
    )
    assert response.status_code == 401
    assert response.headers["access-control-allow-origin"] in ("*", "https://app.example")


def test_control_answers_carry_no_cors_for_foreign_origins(anonymous):
    response = anonymous.get("/control/setup-status", headers={"origin": "https://app.example"})
    assert response.status_code == 200
    assert "access-control-allow-origin" not in response.headers


def test_project_with_allowed_origins(owner):
    project = owner.create_project()
    ok(owner.patch(f"/control/projects/{project.id}", {"settings": {"allowedOrigins": ["https://good.example"]}}), 204)
    collection = project.collection()
    good = project.admin.get(f"/{collection}", headers={"origin": "https://good.example"})
    bad = project.admin.get(f"/{collection}", headers={"origin": "https://bad.example"})
    assert good.headers.get("access-control-allow-origin") == "https://good.example"
    assert "origin" in good.headers.get("vary", "").lower()
    assert "access-control-allow-origin" not in bad.headers


def test_project_with_any_origin_allowed(owner):
    project = owner.create_project()
    origins = {"allowedOrigins": ["https://good.example", "*"]}
    ok(owner.patch(f"/control/projects/{project.id}", {"settings": origins}), 204)
    assert ok(owner.get(f"/control/projects/{project.id}"))["project"]["settings"]["allowedOrigins"][1] == "*"
    answer = project.admin.get(f"/{project.collection()}", headers={"origin": "https://any.example"})
    assert answer.headers.get("access-control-allow-origin") == "*"


def test_deployment_cors_origins(make_server):
    anonymous = Api(make_server({"SERVICE_CORS_ORIGINS": "https://console.example"}).start())
    assert (
        preflight(anonymous, "/control/projects", "https://console.example").headers["access-control-allow-origin"]
        == "https://console.example"
    )
    assert "access-control-allow-origin" not in preflight(anonymous, "/control/projects").headers


@pytest.mark.parametrize("path", ["/health", "/posts", "/admin/users", "/control/me", "/auth/login"])
def test_options_without_preflight_headers(anonymous, path):
    assert anonymous.call("OPTIONS", path).status_code in (200, 204)


# ---- compression


def test_gzip_only_for_long_json_and_only_when_asked(project):
    collection = project.collection()
    for _ in range(20):
        project.admin.create(collection, {"text": "x" * 200})
    path = f"/{collection}"
    plain = project.admin.get(path, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    packed = project.admin.get(path, headers={"accept-encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "accept-encoding" in packed.headers.get("vary", "").lower()
    assert int(packed.headers["content-length"]) < len(plain.content) / 4
    assert packed.json() == plain.json()
    refused_packing = project.admin.get(path, headers={"accept-encoding": "gzip;q=0, identity"})
    assert "content-encoding" not in refused_packing.headers
    short = project.admin.get(f"{path}/missing", headers={"accept-encoding": "gzip"})
    assert "content-encoding" not in short.headers


def test_compressed_request_bodies_are_refused(admin, project):
    collection = project.collection()
    response = admin.post(
        f"/{collection}",
        content=gzip.compress(b'{"a": 1}'),
        headers={"content-type": "application/json", "content-encoding": "gzip"},
    )
    assert response.status_code in (400, 415)


# ---- bodies


def test_body_limit(admin, project):
    collection = project.collection()
    inside = {"text": "x" * (1_000_000)}
    ok(admin.post(f"/{collection}", inside), 201)
    refused(admin.post(f"/{collection}", {"text": "x" * (1 << 20)}), 413, "PAYLOAD_TOO_LARGE")


def test_body_limit_is_a_setting(make_server):
    server = make_server({"SERVICE_MAX_BODY": "2048"}).start()
    anonymous = Api(server)
    refused(
        anonymous.post("/control/auth/register", {"email": "a@b.example", "password": "x" * 4000}),
        413,
        "PAYLOAD_TOO_LARGE",
    )
    refused(anonymous.post("/control/auth/login", {"email": "a@b.example", "password": "x" * 200}), 401)


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=a",
        "application/xml",
        "application/jsonp",
    ],
)
def test_other_content_types(anonymous, admin, project, kind):
    collection = project.collection()
    for api, path in ((anonymous, "/control/auth/login"), (admin, "/admin/collections"), (admin, f"/{collection}")):
        response = api.post(path, content=b'{"a": 1}', headers={"content-type": kind})
        refused(response, 415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize(
    "kind",
    ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON", "application/json;charset=UTF-8"],
)
def test_json_content_types(admin, project, kind):
    collection = project.collection()
    ok(admin.post(f"/{collection}", content=b'{"a": 1}', headers={"content-type": kind}), 201)


def test_nesting_of_100_is_the_limit(admin, project):
    collection = project.collection()

    def nested(levels):
        return b'{"a":' * levels + b"1" + b"}" * levels

    json_type = {"content-type": "application/json"}
    ok(admin.post(f"/{collection}", content=nested(90), headers=json_type), 201)
    refused(admin.post(f"/{collection}", content=nested(101), headers=json_type), 400, "INVALID_JSON")
    refused(admin.post(f"/{collection}", content=b'{"a":' + b"[" * 200_000, headers=json_type), 400, "INVALID_JSON")


# ---- other modules


def test_no_billing(owner, anonymous):
    refused(owner.get("/control/billing"), 404)
    refused(owner.post("/control/billing/checkout", {"plan": "pro"}), 400, "BILLING_DISABLED")
    refused(owner.post("/control/billing/portal", {}), 400, "BILLING_DISABLED")
    refused(anonymous.post("/billing/webhook", {}), 404)


def test_no_operators(owner):
    for path in ("/control/admin/users", "/control/admin/plans", "/control/admin/operators"):
        assert owner.get(path).status_code in (403, 404)


def test_control_plane_switched_off(make_server):
    anonymous = Api(make_server({"SERVICE_CONTROL": "off"}).start())
    for method, path in (
        ("GET", "/control/setup-status"),
        ("POST", "/control/auth/register"),
        ("GET", "/control/me"),
        ("GET", "/control/projects"),
        ("DELETE", "/control/nothing"),
    ):
        refused(anonymous.call(method, path), 404, "NOT_FOUND")
    assert anonymous.get("/health").status_code == 200
