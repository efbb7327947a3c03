"""ctx.storage: files past permissions and rules, as ctx.db."""

import pytest

from support.bucket import Bucket
from support.client import Api, ok, unique
from support.function import Function, database_function, http_function

OWN = {"filter": {"ownerId": "$auth.uid"}}


@pytest.fixture
def shelf(project):
    made = Bucket(project)
    ok(project.admin.patch(f"/admin/storage/buckets/{made.name}", {"rules": {"read": OWN}}), 204)
    return made


@pytest.fixture
def run(project, shelf):
    """Runs the body of a handler, with the bucket's name as `b`; returns its result, or with `fails` its error."""

    def run(code: str, *, fails: bool = False):
        answer = http_function(project, "const b = event.payload;" + code).invoke(shelf.name)
        assert answer["status"] == ("error" if fails else "success"), answer
        return answer["error"] if fails else answer.get("result")

    return run


def test_write_read_list_delete(run, shelf):
    made = run(
        "return await ctx.storage.write(b, 'out/a', new TextEncoder().encode('hällo'),"
        " {contentType: 'text/plain; charset=utf-8', metadata: {from: ctx.function, n: 1}});"
    )
    assert made["path"] == "out/a" and made["size"] == 6 and "ownerId" not in made
    answer = shelf.get("out/a")
    assert answer.content.decode() == "hällo" and answer.headers["content-type"] == "text/plain; charset=utf-8"
    read = run(
        "const f = await ctx.storage.read(b, 'out/a');"
        " return [f.bytes instanceof Uint8Array, new TextDecoder().decode(f.bytes), f.contentType, f.metadata.n];"
    )
    assert read == [True, "hällo", "text/plain; charset=utf-8", 1]
    run("await ctx.storage.write(b, 'in', new Uint8Array([0, 255]).buffer);")
    assert shelf.get("in").content == b"\x00\xff"
    listed = run("return (await ctx.storage.list(b)).map(f => [f.path, f.size, f.createdAt instanceof Date]);")
    assert listed == [["in", 2, True], ["out/a", 6, True]]
    assert run("return (await ctx.storage.list(b, {prefix: 'out/', limit: 5})).map(f => f.path);") == ["out/a"]
    assert run("return await ctx.storage.delete(b, 'in');") is None
    assert shelf.paths() == ["out/a"]


def test_past_rules_and_owners(run, project, shelf, alice):
    open_ = Bucket(project)
    ok(open_.put("mine", by=alice), 201)
    code = f"await ctx.storage.write('{open_.name}', 'mine', new Uint8Array([1]));"
    run(code)
    assert open_.get("mine", by=alice).content == b"\x01"
    assert open_.list()["files"][0]["ownerId"] == alice.id
    ok(shelf.put("f"), 201)
    assert run("return (await ctx.storage.read(b, 'f')).bytes.length;") == 5


def test_a_link(run, project, shelf):
    ok(shelf.put("f"), 201)
    link = run("const link = await ctx.storage.sign(b, 'f', 60); return [link.url, link.expiresAt];")
    path = link[0].removeprefix(project.server.url)
    assert Api(project.server).get(path).content == b"hello"


def test_failures_have_codes(run):
    codes = run(
        """const codes = [];
        for (const call of [
          () => ctx.storage.read(b, 'none'), () => ctx.storage.read('none', 'x'), () => ctx.storage.read(b, '../x'),
          () => ctx.storage.read(b), () => ctx.storage.write(b, 'x', 'text'), () => ctx.storage.write(b, 'x'),
          () => ctx.storage.write(b, 'x', new Uint8Array(1), {metadata: {a: 'x'.repeat(3000)}}),
          () => ctx.storage.write(b, 'x', new Uint8Array(1), {surprise: 1}),
          () => ctx.storage.write(b, 'x', new Uint8Array(9 << 20)), () => ctx.storage.list(b, {limit: 'x'}),
          () => ctx.storage.sign(b, 'none', 60), () => ctx.storage.sign(b, 'none', 0), () => ctx.storage.delete(b, 'none'),
        ]) try { await call(); codes.push('none'); } catch (e) { codes.push(e.code ?? e.name); }
        return codes;"""
    )
    assert codes == [
        *["NOT_FOUND", "NOT_FOUND", "INVALID_PARAM"],
        *["VALIDATION", "VALIDATION", "VALIDATION"],
        *["VALIDATION", "VALIDATION", "LIMIT", "VALIDATION"],
        *["NOT_FOUND", "INVALID_PARAM", "NOT_FOUND"],
    ]


def test_eight_mib_and_no_more(run, shelf):
    size = run(
        "await ctx.storage.write(b, 'large', new Uint8Array(8 << 20));"
        " return (await ctx.storage.read(b, 'large')).bytes.length;"
    )
    assert size == 8 << 20
    ok(shelf.put("larger", b"x" * ((8 << 20) + 1)), 201)
    assert run("try { await ctx.storage.read(b, 'larger'); } catch (e) { return e.code; }") == "PAYLOAD_TOO_LARGE"


def test_pre_hooks_have_none(project):
    collection = project.collection()
    database_function(project, collection, "return {document: {has: typeof ctx.storage}};", timing="pre")
    assert project.admin.post(f"/admin/collections/{collection}/documents", {}).json()["document"]["has"] == "undefined"


def test_uploads_of_functions_fire_triggers_five_deep(project):
    shelf = Bucket(project)
    code = f"""const {{bucket, path}} = event.file;
    if (bucket !== '{shelf.name}') return 'other';
    await ctx.storage.write(bucket, path + 'x', new Uint8Array(1)); return path;"""
    function = Function(project, code, {"type": "storage", "event": "fileUploaded"}, name=unique("deep"))
    try:
        ok(shelf.put("f"), 201)
        runs = [run for run in function.logged(7) if run.get("result") != "other"]
        assert sorted(run["status"] for run in runs) == ["skipped", *["success"] * 6]
        assert len(shelf.paths()) == 7
    finally:
        function.delete()


def test_a_stored_test_has_no_files(project, shelf):
    function = http_function(project, f"return await ctx.storage.list('{shelf.name}');")
    report = function.run_tests([{"name": "none", "event": {}, "expect": {"error": "stored test"}}])
    assert report["passed"] == 1, report
