"""The SDK as the server serves it: a module for pages without a build step, and a package that npm installs."""

import gzip
import json
import subprocess

import pytest

from support.hosted_pages import get
from support.node_packages import BIN, NODE, WITH_NODE
from support.server import ROOT

MODULE = "/dashboard/sdk/manybase.mjs"
PACKAGE = "/dashboard/sdk/manybase.tgz"
TYPES = {MODULE: "text/javascript; charset=utf-8", PACKAGE: "application/gzip"}
# All that the main entry loads, also what a bundled app loads later.
MODULE_LIMIT = 15 * 1024
both = pytest.mark.parametrize("path", [MODULE, PACKAGE])


def run(code: str, folder, *arguments: str) -> dict:
    """Runs a program of Node.js, which prints JSON."""
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", code, *arguments], cwd=folder, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@both
def test_what_is_served(server, built, path):
    answer = get(server, path, accept_encoding="identity")
    assert answer.status_code == 200 and answer.headers["content-type"] == TYPES[path]
    assert answer.content == (built / path.rpartition("/")[2]).read_bytes()
    assert answer.headers["cache-control"] == "no-cache" and answer.headers["x-content-type-options"] == "nosniff"
    head = server.http.head(path, headers={"accept-encoding": "identity"})
    assert head.status_code == 200 and head.content == b""
    for name in ("content-length", "content-type", "etag"):
        assert head.headers[name] == answer.headers[name]


@both
@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_a_known_file_is_not_sent(server, path, coding):
    tag = get(server, path, accept_encoding=coding).headers["etag"]
    for known in (tag, f'"other", {tag}', "*"):
        answer = get(server, path, accept_encoding=coding, if_none_match=known)
        assert answer.status_code == 304 and answer.content == b"" and answer.headers["etag"] == tag
        assert answer.headers["access-control-allow-origin"] == "*"
    assert get(server, path, accept_encoding=coding, if_none_match='"other"').status_code == 200


@both
@pytest.mark.parametrize("origin", [None, "https://app.example", "null"])
def test_pages_of_all_origins_may_load_it(server, path, origin):
    """Also from a cache that stored it for a request without an origin, and a page that is isolated from other origins."""
    answer = get(server, path, **({"origin": origin} if origin else {}))
    assert answer.headers.get_list("access-control-allow-origin") == ["*"]
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "origin" not in answer.headers.get("vary", "")


def test_the_module_is_compressed_for_who_accepts_it(server):
    with server.http.stream("GET", MODULE, headers={"accept-encoding": "gzip"}) as answer:
        raw = b"".join(answer.iter_raw())
    plain = get(server, MODULE, accept_encoding="identity")
    assert answer.headers["content-encoding"] == "gzip" and gzip.decompress(raw) == plain.content
    assert "accept-encoding" in answer.headers["vary"] and "accept-encoding" in plain.headers["vary"]
    assert answer.headers["etag"] != plain.headers["etag"]
    assert len(raw) <= MODULE_LIMIT


def test_the_package_has_one_form(server):
    answer = get(server, PACKAGE, accept_encoding="gzip")
    assert "content-encoding" not in answer.headers and "vary" not in answer.headers


@both
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_other_methods(server, path, method):
    answer = server.http.request(method, path)
    assert answer.status_code == 405 and answer.json()["error"]["code"] == "METHOD_NOT_ALLOWED"
    assert "GET" in answer.headers["allow"] and method not in answer.headers["allow"]


def test_other_names(server):
    names = ("", "/", "/manybase", "/manybase.js", "/manybase.mjs.gz", "/manybase.mjs/", "/Manybase.mjs", "/x%2Fmanybase.mjs")
    for name in names:
        answer = get(server, f"/dashboard/sdk{name}")
        assert answer.status_code == 404 and answer.json()["error"]["code"] == "NOT_FOUND", name


def test_the_module_is_the_main_entry(server, package, tmp_path):
    (tmp_path / "served.mjs").write_bytes(get(server, MODULE).content)
    names = "console.log(JSON.stringify(Object.keys(await import(process.argv[1])).sort()))"
    served = run(names, tmp_path, str(tmp_path / "served.mjs"))
    assert served == run(names, tmp_path, str(package / "dist" / "index.js")) and "createClient" in served


def test_npm_installs_it(server, project, tmp_path):
    """By its address, into an empty folder; what is installed fits the server."""
    installed = subprocess.run(
        [BIN / "npm", "install", "--no-audit", "--no-fund", f"{server.url}{PACKAGE}"],
        cwd=tmp_path,
        env={**WITH_NODE, "npm_config_cache": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert installed.returncode == 0, installed.stderr
    dependencies = json.loads((tmp_path / "package.json").read_text())["dependencies"]
    assert dependencies == {"manybase": f"{server.url}{PACKAGE}"}
    found = run(
        'import { createClient, version } from "manybase";'
        'import { createAdmin } from "manybase/admin"; import { createControl } from "manybase/control";'
        "const mb = createClient({ url: process.argv[1], project: process.argv[2] });"
        "const made = [typeof createAdmin, typeof createControl];"
        "console.log(JSON.stringify({ version, made, server: await mb.server() }));",
        tmp_path,
        server.url,
        project.id,
    )
    assert found["made"] == ["function", "function"] and found["server"]["compatible"] is True
    # All say the same: module, manifest, server.
    manifest = json.loads((ROOT / "sdk/typescript/package.json").read_text())
    assert found["version"] == manifest["version"] == found["server"]["version"].partition("-")[0].partition("+")[0]
