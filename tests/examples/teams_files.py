"""Ways to the files of a team: each returns whether the caller got through; "no" also means that nothing has changed."""

import base64
import json
from urllib.parse import urlsplit

from support.client import Api

from teams_world import OTHER, OWNERS, kept, passed

TUS = {"tus-resumable": "1.0.0"}
BYTES = {**TUS, "content-type": "application/offset+octet-stream"}


def file_get(world, caller, team):
    return passed(caller.get(world.files[team]), 200)


def file_head(world, caller, team):
    return passed(caller.call("HEAD", world.files[team]), 200)


def file_range(world, caller, team):
    return passed(caller.get(world.files[team], headers={"range": "bytes=0-1"}), 206)


def file_list(world, caller, team):
    answer = caller.get("/storage/attachments", params={"prefix": f"{world.teams[team]}/"})
    return passed(answer, 200) and answer.json()["files"] != []


def file_list_all(world, caller, team):
    answer = caller.get("/storage/attachments", params={"limit": 1000})
    at = world.files[team].removeprefix("/storage/attachments/")
    return passed(answer, 200) and at in [file["path"] for file in answer.json()["files"]]


def file_sign(world, caller, team):
    answer = caller.get(world.files[team], params={"sign": 60})
    if not passed(answer, 200) or "url" not in answer.json():
        return False
    parts = urlsplit(answer.json()["url"])
    assert Api(world.server).get(f"{parts.path}?{parts.query}").content == b"hello"
    return True


def file_put(world, caller, team):
    path = world.path(team)
    return kept(world, path, lambda: passed(caller.put(path, content=b"new", headers=world.tagged(team)), 201))


def file_put_into_other_metadata(world, caller, team):
    """Below the path of the team, with the metadata of the other."""
    path = world.path(team)
    return kept(world, path, lambda: passed(caller.put(path, content=b"x", headers=world.tagged(OTHER[team])), 201))


def file_put_untagged(world, caller, team):
    path = world.path(team)
    return kept(world, path, lambda: passed(caller.put(path, content=b"new"), 201))


def file_overwrite(world, caller, team):
    path = world.file(team)
    return kept(world, path, lambda: passed(caller.put(path, content=b"new"), 201))


def file_tag(world, caller, team):
    path = world.file(team)
    body = {"metadata": {"team": world.teams[team], "seen": True}}
    return kept(world, path, lambda: passed(caller.patch(path, body), 204))


def file_take(world, caller, team):
    """A file of the team gets the metadata of the other."""
    path = world.file(team)
    body = {"metadata": {"team": world.teams[OTHER[team]]}}
    return kept(world, path, lambda: passed(caller.patch(path, body), 204))


def file_delete(world, caller, team):
    path = world.file(team)
    return kept(world, path, lambda: passed(caller.delete(path), 204))


def begin(world, caller, path, team):
    tag = base64.b64encode(json.dumps({"team": world.teams[team]}).encode()).decode()
    headers = {**TUS, "upload-length": "3", "upload-metadata": f"metadata {tag}"}
    answer = caller.post(path, headers=headers)
    return answer.headers["location"].removeprefix("/api/v1") if passed(answer, 201) else None


def send(caller, address):
    return passed(caller.patch(address, content=b"new", headers={**BYTES, "upload-offset": "0"}), 204)


def resumable(world, caller, path, team):
    def uploads():
        address = begin(world, caller, path, team)
        return address is not None and send(caller, address)

    return kept(world, path, uploads)


def tus_create(world, caller, team):
    return resumable(world, caller, world.path(team), team)


def tus_overwrite(world, caller, team):
    return resumable(world, caller, world.file(team), team)


def tus_of_others(world, caller, team):
    """The upload that the owner of the team has begun."""
    path = world.path(team)
    owner = world.people[OWNERS[team]]
    address = begin(world, owner, path, team)
    if caller is owner:
        return False  # it is theirs
    assert not passed(caller.call("HEAD", address, headers=TUS), 204)
    return kept(world, path, lambda: send(caller, address))
