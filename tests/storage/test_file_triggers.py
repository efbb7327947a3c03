"""Functions that run after uploads."""

from support.client import ok
from support.function import Function


def test_an_upload_fires(project, bucket):
    trigger = {"type": "storage", "event": "fileUploaded"}
    function = Function(project, "return event;", trigger=trigger)
    shelf = bucket()
    file = ok(shelf.put("a/f", b"one"), 201)["file"]
    first = function.logged(1)[0]
    assert (first["trigger"], first["status"]) == ("storage", "success")
    assert first["result"] == {
        "type": "storage",
        "event": "fileUploaded",
        "file": {"bucket": shelf.name, **file},
    }
    again = ok(shelf.put("a/f", b"two"), 201)["file"]
    assert function.logged(2)[0]["result"]["file"]["etag"] == again["etag"]
    ok(shelf.delete("a/f"), 204)
    ok(shelf.put("b", b"three"), 201)
    assert [run["result"]["file"]["path"] for run in function.logged(3)] == ["b", "a/f", "a/f"]
