"""Endpoints of projects: /api/v1/run/:project."""

import concurrent.futures
import hmac

import httpx
import pytest

from support.client import Api, PlatformUser, ok, refused, unique
from support.function import http_function


@pytest.fixture(scope="module")
def call(server, project):
    """Sends a request to a function, like a browser or another service."""

    def call(method: str, path: str, *, to: str | None = None, **more) -> httpx.Response:
        return server.http.request(method, f"/api/v1/run/{to or project.slug}{path}", **more)

    return call


def test_the_whole_request_and_the_whole_answer(project, server, call):
    echo = http_function(
        project,
        "return {status: 201, headers: {'X-One': 'yes', 'Content-Type': 'application/vnd.x+json'},"
        " body: {event, request: ctx.request}};",
        "/orders/:id/lines/:line",
        "POST",
    )
    answer = call(
        "POST", "/orders/a%20b%2Fc/lines/7?q=1&q=2&x=y+z", json={"a": [1]}, headers={"x-twice": "1"}, to=project.id
    )
    assert answer.status_code == 201 and answer.headers["x-one"] == "yes"
    assert answer.headers["content-type"] == "application/vnd.x+json"
    event, request = answer.json()["event"], answer.json()["request"]
    params = {"id": "a b/c", "line": "7"}
    path = "/orders/a%20b%2Fc/lines/7"
    assert event == {"type": "http", "method": "POST", "path": path, "params": params}
    assert {key: request[key] for key in ("method", "path", "service", "params", "query", "body")} == {
        "method": "POST",
        "path": path,
        "service": server.url,
        "params": params,
        "query": {"q": ["1", "2"], "x": "y z"},
        "body": {"a": [1]},
    }
    assert request["headers"]["x-twice"] == "1" and request["headers"]["content-type"] == "application/json"
    assert echo.logged(1)[0]["trigger"] == "http"


@pytest.mark.parametrize(
    "returned,status,content_type,body",
    [
        ("undefined", 200, "application/json", b"null"),
        ("'text'", 200, "text/plain; charset=utf-8", b"text"),
        ("42", 200, "application/json", b"42"),
        ("[1, {a: 2}]", 200, "application/json", b'[1,{"a":2}]'),
        ("{status: 'active'}", 200, "application/json", b'{"status":"active"}'),
        ("{status: 200, other: 1}", 200, "application/json", b'{"status":200,"other":1}'),
        ("{status: 404, body: 'nothing'}", 404, "text/plain; charset=utf-8", b"nothing"),
        ("{body: {a: 1}}", 200, "application/json", b'{"a":1}'),
        ("{status: 204}", 204, None, b""),
        ("{body: new Uint8Array([0, 255, 7])}", 200, "application/octet-stream", b"\x00\xff\x07"),
        ("new TextEncoder().encode('x')", 200, "application/octet-stream", b"x"),
        ("new Set([1, 2])", 200, "application/json", b"[1,2]"),
        ("new Date(0)", 200, "application/json", b'"1970-01-01T00:00:00.000Z"'),
        ("{status: 302, headers: {location: '/elsewhere'}}", 302, None, b""),
    ],
)
def test_answers(project, call, returned, status, content_type, body):
    function = http_function(project, f"return {returned};")
    answer = call("GET", function.path)
    assert (answer.status_code, answer.headers.get("content-type"), answer.content) == (status, content_type, body)
    assert answer.headers["content-security-policy"] == "sandbox allow-scripts allow-forms allow-popups"


@pytest.mark.parametrize(
    "content_type,body",
    [
        ("application/json", b'{ "a" : 1 }\n'),
        ("text/plain", "caf\u00e9".encode()),
        ("text/plain", b"\xef\xbb\xbfmarked"),
        ("application/x-www-form-urlencoded", b"a=1&b=%20"),
        ("image/png", bytes(range(256))),
        ("application/json", b""),
        (None, b""),
    ],
)
def test_the_raw_body_is_what_was_sent(project, call, content_type, body):
    echo = http_function(
        project,
        "const {rawBody} = ctx.request; return {headers: {'x-kind': rawBody.constructor.name}, body: rawBody};",
        method="POST",
    )
    answer = call("POST", echo.path, content=body, headers={"content-type": content_type} if content_type else {})
    assert (answer.status_code, answer.content, answer.headers["x-kind"]) == (200, body, "Uint8Array")


def test_a_signature_is_checked_over_the_raw_body(project, call):
    check = http_function(
        project,
        """
        const bytes = (hex) => Uint8Array.from(hex.match(/../g), (each) => parseInt(each, 16));
        const encoded = new TextEncoder().encode("secret");
        const key = await crypto.subtle.importKey("raw", encoded, {name: "HMAC", hash: "SHA-256"}, false, ["verify"]);
        const {headers, rawBody, body} = ctx.request;
        return [await crypto.subtle.verify("HMAC", key, bytes(headers["x-signature"]), rawBody), body.n];
        """,
        method="POST",
    )
    body = b'{"n":   1}'
    signature = hmac.new(b"secret", body, "sha256").hexdigest()
    headers = {"content-type": "application/json", "x-signature": signature}
    assert call("POST", check.path, content=body, headers=headers).json() == [True, 1]
    assert call("POST", check.path, content=b'{"n": 1}', headers=headers).json() == [False, 1]


def test_the_raw_body_is_not_part_of_the_requests_json(project, call):
    echo = http_function(project, "return [ctx.request, ctx.request?.rawBody !== undefined];", method="POST")
    request, has_it = call("POST", echo.path, json={"a": 1}).json()
    assert set(request) == {"method", "path", "service", "params", "query", "headers", "body"} and has_it is True
    assert echo.invoke()["result"] == [None, False]


def test_an_answer_names_its_run(project, call):
    function = http_function(
        project,
        "if (ctx.request.query.fail) throw new Error('boom'); if (ctx.request.query.wait) for (;;);"
        " return {headers: {'x-service-run': 'mine'}, body: 1};",
        timeoutMs=1000,
    )
    for query, status in (("", 200), ("?fail=1", 500), ("?wait=1", 504)):
        answer = call("GET", function.path + query)
        assert answer.status_code == status
        assert answer.headers.get_list("x-service-run") == [function.runs()[0]["id"]]
    exposed = call("GET", function.path, headers={"origin": "https://app.example.com"})
    assert "x-service-run" in exposed.headers["access-control-expose-headers"]
    assert "x-service-run" not in call("GET", "/" + unique("none")).headers


def test_forbidden_headers_are_dropped(project, call):
    function = http_function(
        project,
        "return {headers: {'set-cookie': 'a=b', 'content-length': '3', 'transfer-encoding': 'chunked',"
        " connection: 'close',"
        " 'access-control-allow-origin': 'https://evil.example', 'x-request-id': 'mine', 'clear-site-data': '\"*\"',"
        " 'content-security-policy': 'default-src *', 'x-bad\\r\\nset-cookie': '1',"
        " 'x-inject': 'a\\r\\nset-cookie: b', 'x-ok': 'yes'},"
        " body: 'hello'};",
    )
    answer = call("GET", function.path)
    assert answer.status_code == 200 and answer.text == "hello" and answer.headers["x-ok"] == "yes"
    for name in ("set-cookie", "access-control-allow-origin", "clear-site-data", "x-inject", "transfer-encoding"):
        assert name not in answer.headers, name
    assert answer.headers["x-request-id"] != "mine"
    # A function's own policy is added to the sandbox and does not replace it.
    assert "sandbox" in answer.headers["content-security-policy"]


def test_matching(project, call):
    base = "/" + unique("m")
    for path, value in ((base + "/:a", "param"), (base + "/fixed", "fixed"), (base + "/:a/:b", "two")):
        http_function(project, f"return '{value}';", path)
    assert call("GET", base + "/fixed").text == "fixed"
    assert call("GET", base + "/other").text == "param"
    assert call("GET", base + "/fixed/x").text == "two"
    for path in (base, base + "/a/b/c", base + "/", "/" + unique("none")):
        error = call("GET", path)
        assert (error.status_code, error.json()["error"]["code"]) == (404, "NOT_FOUND"), path


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_every_method_and_both_names_of_a_project(project, call, method):
    function = http_function(project, "return [event.method, ctx.request.method, ctx.project];", method=method)
    for to in (project.id, project.slug):
        answer = call(method, function.path, to=to)
        assert (answer.status_code, answer.json()) == (200, [method, method, project.id])
    error = call("PUT" if method == "GET" else "GET", function.path)
    assert (error.status_code, error.json()["error"]["code"]) == (405, "METHOD_NOT_ALLOWED")


def test_a_method_that_the_path_does_not_take(project, call):
    function = http_function(project, "return 1;", method="GET")
    http_function(project, "return 2;", function.path, "PUT")
    answer = call("POST", function.path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (405, "METHOD_NOT_ALLOWED")
    assert {each.strip() for each in answer.headers["allow"].split(",")} >= {"GET", "PUT"}
    head = call("HEAD", function.path)
    assert head.status_code == 200 and head.content == b""


def test_a_disabled_function_and_another_project_are_not_there(project, call, owner):
    function = http_function(project, "return 1;")
    assert call("GET", function.path).status_code == 200
    assert call("GET", function.path, to=owner.create_project().slug).status_code == 404
    assert call("GET", function.path, to="proj_nothing").status_code == 404
    function.patch(enabled=False)
    assert call("GET", function.path).status_code == 404
    # The same without a project.
    assert call("GET", "", to="-").status_code == 404


def test_the_root_of_a_project(owner, call):
    project = owner.create_project()
    http_function(project, "return 'root';", "/")
    assert call("GET", "", to=project.slug).text == "root"


def test_auth_is_optional_and_never_an_error(project, call, alice, owner, admin):
    function = http_function(project, "return ctx.auth;")

    def auth(token):
        answer = call("GET", function.path, headers={"authorization": token} if token else {})
        assert answer.status_code == 200, answer.text
        return answer.json()

    found = auth(f"Bearer {alice.token}")
    assert (found["kind"], found["uid"], found["role"], found["pid"]) == ("user", alice.id, "user", project.id)
    found = auth(f"Bearer {admin.token}")
    assert (found["kind"], found["uid"], found["role"]) == ("member", owner.id, "Owner")
    assert auth(f"Bearer {project.api_key('read').token}")["kind"] == "apikey"
    other = owner.create_project().end_user()
    for token in (None, "Bearer x.y.z", f"Bearer {other.token}", f"Bearer {owner.token}", "Basic YTpi", "Bearer"):
        assert auth(token) is None, token


def test_code_does_not_see_tokens_of_this_server(project, call, alice, owner, admin):
    function = http_function(project, "return ctx.request.headers.authorization ?? 'hidden';")
    other = owner.create_project()
    tokens = [alice.token, admin.token, owner.token, other.end_user().token, project.api_key("read").token]
    for token in tokens + [other.api_key("read").token]:
        assert call("GET", function.path, headers={"authorization": f"Bearer {token}"}).text == "hidden"
    for foreign in ("Bearer sesame", "Basic YTpi", "Bearer a.b.c"):
        assert call("GET", function.path, headers={"authorization": foreign}).text == foreign


def test_bodies(project, call):
    path = "/" + unique("b")
    http_function(
        project,
        "const b = ctx.request.body;"
        " return b instanceof Uint8Array ? {body: {bytes: Array.from(b)}} : {body: {is: b}};",
        path,
        "POST",
    )

    def body(content, content_type=None):
        headers = {"content-type": content_type} if content_type else {}
        return call("POST", path, content=content, headers=headers).json()

    assert body(b'{"a": 1}', "application/json") == {"is": {"a": 1}}
    assert body(b"[1]", "application/problem+json; charset=utf-8") == {"is": [1]}
    assert body(b"a=1&b=2", "application/x-www-form-urlencoded") == {"is": "a=1&b=2"}
    assert body("zwölf".encode(), "text/plain") == {"is": "zwölf"}
    assert body(b"\x00\xff", "application/octet-stream") == {"bytes": [0, 255]}
    assert body(b"") == {"is": None}
    broken = call("POST", path, content=b"{", headers={"content-type": "application/json"})
    assert (broken.status_code, broken.json()["error"]["code"]) == (400, "INVALID_JSON")


def test_errors_and_timeouts_say_no_more(project, call):
    boom = http_function(project, "throw new Error('a secret of the code');")
    answer = call("GET", boom.path)
    assert (answer.status_code, answer.json()) == (500, {"error": "function error"})
    assert "a secret of the code" in boom.logged(1)[0]["error"]
    slow = http_function(project, "for (;;);", timeoutMs=150)
    answer = call("GET", slow.path)
    assert (answer.status_code, answer.json()) == (504, {"error": "function timed out"})
    assert slow.logged(1)[0]["status"] == "timeout"
    bad = http_function(project, "return {status: 42};")
    assert (call("GET", bad.path).status_code, call("GET", bad.path).json()) == (500, {"error": "function error"})
    nothing = http_function(project, "return () => 1;")
    assert call("GET", nothing.path).status_code == 500


def test_a_saturated_pool_is_503_and_retryable(make_server):
    server = make_server({"SERVICE_WORKERS": "2"}).start()
    project = PlatformUser(server).create_project()
    slow = http_function(project, "await new Promise((r) => setTimeout(r, 4000)); return 1;")
    url = f"{server.url}/api/v1/run/{project.slug}{slow.path}"
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda _: httpx.get(url, timeout=30), range(12)))
    busy = [each for each in answers if each.status_code == 503]
    assert busy and {each.status_code for each in answers} == {200, 503}
    for each in busy:
        assert each.json()["error"]["code"] == "FUNCTIONS_BUSY" and each.headers["retry-after"] == "1"


def test_a_suspended_project(owner, call):
    project = owner.create_project()
    function = http_function(project, "return 1;")
    ok(owner.post(f"/control/projects/{project.id}/suspend"), 204)
    answer = call("GET", function.path, to=project.slug)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "PROJECT_SUSPENDED")
    ok(owner.post(f"/control/projects/{project.id}/resume"), 204)
    assert call("GET", function.path, to=project.slug).status_code == 200


def test_cors_and_options(project, call):
    function = http_function(project, "return 1;")
    preflight = call(
        "OPTIONS",
        function.path,
        headers={"origin": "https://app.example", "access-control-request-method": "POST"},
    )
    assert preflight.status_code == 204 and "access-control-allow-origin" in preflight.headers
    answer = call("GET", function.path, headers={"origin": "https://app.example"})
    assert answer.headers["access-control-allow-origin"] in ("*", "https://app.example")
    assert call("OPTIONS", function.path).status_code == 204


def test_a_new_version_serves_the_next_request(project, call):
    function = http_function(project, "return 'one';")
    for text in ("two", "three", "four"):
        assert call("GET", function.path).status_code == 200
        function.patch(code=f"export default () => '{text}';")
        assert call("GET", function.path).text == text


def test_an_origin_of_its_own(make_server):
    server = make_server({"SERVICE_RUN_ORIGIN": "https://fn.example.com"}).start()
    project = PlatformUser(server).create_project()
    function = http_function(project, "return {headers: {'set-cookie': 'a=b'}, body: 'x'};")
    url = f"{server.url}/api/v1/run/{project.slug}{function.path}"
    own = httpx.get(url, headers={"host": "fn.example.com"})
    assert "content-security-policy" not in own.headers and own.headers["set-cookie"] == "a=b"
    shared = httpx.get(url)
    assert "sandbox" in shared.headers["content-security-policy"] and "set-cookie" not in shared.headers


def test_the_host_of_functions_serves_nothing_else(make_server):
    server = make_server({"SERVICE_RUN_ORIGIN": "https://fn.example.com"}).start()
    project = PlatformUser(server).create_project()
    function = http_function(
        project,
        "return {headers: {'set-cookie': 'a=b; Domain=example.com; Path=/', 'service-worker-allowed': '/'}, body: 1};",
    )
    answer = httpx.get(
        f"{server.url}/api/v1/run/{project.slug}{function.path}", headers={"host": "FN.example.com"}, timeout=30
    )
    assert answer.text == "1" and "service-worker-allowed" not in answer.headers
    assert answer.headers["set-cookie"] == "a=b; Path=/"
    for method, path in (
        ("GET", "/"),
        ("GET", "/auth/login"),
        ("GET", "/api/v1/health"),
        ("GET", "/api/v1/auth/login"),
        ("GET", "/api/v1/jwks.json"),
        ("GET", "/api/v1/%72un"),
        ("POST", "/api/v1/control/auth/login"),
        ("PUT", f"/api/v1/storage/files/{project.slug}"),
        ("GET", "/api/v1/realtime"),
        ("OPTIONS", "/api/v1/notes"),
    ):
        preflight = {"origin": "https://app.example", "access-control-request-method": "GET"}
        for more in ({}, preflight) if method == "OPTIONS" else ({},):
            there = httpx.request(method, server.url + path, headers={"host": "fn.example.com", **more})
            assert there.status_code == 404, (method, path, there.status_code)
            assert "access-control-allow-methods" not in there.headers
    assert httpx.get(f"{server.url}/api/v1/health").status_code == 200


def test_the_host_of_functions_is_not_the_servers_own(make_server):
    server = make_server({"SERVICE_BASE_URL": "http://one.example", "SERVICE_RUN_ORIGIN": "http://one.example:80/"})
    with pytest.raises(Exception, match="SERVICE_RUN_ORIGIN"):
        server.start()


def test_requests_are_counted(owner, call):
    project = owner.create_project()
    function = http_function(project, "return 1;")
    for path in (function.path, function.path, "/nothing-here"):
        call("GET", path, to=project.slug)
    planes = ok(project.admin.get("/admin/metrics"))["planes"]
    assert planes["functions"] == {"ok": 2, "error": 1}


def test_no_token_is_asked_for_and_no_header(project, server):
    function = http_function(project, "return 1;")
    anonymous = Api(server)
    assert ok(anonymous.get(f"/run/{project.slug}{function.path}")) == 1
    assert ok(anonymous.get(f"/run/{project.slug}{function.path}", headers={"x-service-project": "other"})) == 1
    refused(anonymous.get(f"/run/{project.slug}/nothing"), 404, "NOT_FOUND")


def test_chosen_integers_as_keys_cost_no_more_than_other_keys(project, server, call):
    """Multiples of 2^17 would share one slot of the engine's table of names; a body of them would take seconds to
    parse."""
    count = http_function(
        project, "return Object.keys(ctx.request.body).length", "/chosen-keys", "POST", timeoutMs=1000
    )
    body = "{" + ",".join(f'"{i << 17}":{10**12 + i}' for i in range(32768)) + "}"
    for _ in range(3):
        answer = call("POST", "/chosen-keys", content=body, headers={"content-type": "application/json"}, timeout=60)
        assert (answer.status_code, answer.text) == (200, "32768")
    assert [run["status"] for run in count.logged(3)] == ["success"] * 3
