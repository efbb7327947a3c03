"""The guide in docs/policies.md: the files of each section are imported into a project of their own, and each call that
the section lists gets the answer that it states."""

import json
import re

import pytest

from support.client import EndUser, ok, refused
from support.server import ROOT
from support.walkthrough import fenced, section

TEXT = (ROOT / "docs/policies.md").read_text()
SECTIONS = ("Owner only", "A public site", "Teams with roles")
FILE = re.compile(r"^`([\w./-]+\.json)`\n\n```json\n(.*?)^```", re.M | re.S)
CALL = re.compile(
    r"(?P<who>\w+) +(?P<method>[A-Z]+) (?P<path>\S+?)(?:\?filter=(?P<filter>\{.*?\}))?"
    r"(?: (?P<body>\{.*\})| \((?P<type>[\w/]+)(?:, (?P<metadata>\{.*\}))?\))?"
    r" *→ (?P<status>\d{3})(?: (?P<name>\w+))?(?:, (?P<count>\d+) (?:documents?|files?)|, without \"(?P<hidden>.*)\")?"
)


def configuration(text: str) -> dict:
    """Returns the configuration document that the files of a section make."""
    made = {"formatVersion": 1, "collections": [], "buckets": []}
    for name, content in FILE.findall(text):
        value = json.loads(content)
        folder, _, file = name.rpartition("/")
        if folder:
            assert value["name"] == file.removesuffix(".json"), name
            made[folder].append(value)
        else:
            made[{"policy-sets.json": "policySets", "enduser-roles.json": "enduserRoles"}[name]] = value
    return made


def calls(text: str) -> list[re.Match]:
    lines = [line for block in fenced(text, "text") for line in block.splitlines()]
    found = [(line, CALL.fullmatch(line)) for line in lines]
    assert all(match for _, match in found), [line for line, match in found if not match]
    return [match for _, match in found]


@pytest.mark.parametrize("heading", SECTIONS)
def test_the_policies_answer_as_it_says(owner, heading):
    text = section(TEXT, heading)
    project = owner.create_project()
    imported = ok(project.admin.post("/admin/config-import", configuration(text)))
    assert imported["problems"] == [] and imported["applied"]
    callers = {name: EndUser(project) for name in ("ann", "ben", "cleo")}
    ids = {name: caller.id for name, caller in callers.items()}
    callers |= {"visitor": project.public(), "admin": project.api_key("admin")}
    for call in calls(text):

        def filled(part: str) -> str:
            return re.sub(r"<(\w+)>", lambda name: ids[name.group(1)], call[part] or "")

        more: dict = {"params": {"filter": filled("filter")}} if call["filter"] else {}
        if call["type"]:
            more["content"], more["headers"] = b"bytes", {"content-type": call["type"]}
            if call["metadata"]:
                more["headers"]["x-service-metadata"] = call["metadata"]
        elif call["body"]:
            more["json"] = json.loads(filled("body"))
        answer = callers[call["who"]].call(call["method"], filled("path"), **more)
        assert answer.status_code == int(call["status"]), (call.group(0), answer.status_code, answer.text)
        if call["name"]:
            ids[call["name"]] = answer.json()["document"]["id"]
        if call["count"]:
            (listed,) = [value for key, value in answer.json().items() if key in ("documents", "files")]
            assert len(listed) == int(call["count"]), (call.group(0), listed)
        if call["hidden"]:
            assert call["hidden"] not in answer.text, call.group(0)


@pytest.mark.parametrize("create", [{}, {"validate": "document.userId == auth.uid"}])
def test_who_writes_the_collection_of_a_set_decides_who_is_in_it(owner, create):
    """What "Who decides who is in a team" warns of."""
    text = section(TEXT, "Teams with roles")
    assert all(part in text for part in ("(`{}`, or", "`document.userId == auth.uid`)"))
    document = configuration(text)
    next(each for each in document["collections"] if each["name"] == "memberships")["policy"]["create"] = create
    project = owner.create_project()
    ok(project.admin.post("/admin/config-import", document))
    task = ok(project.admin.post("/admin/collections/tasks/documents", {"teamId": "red", "title": "t"}), 201)["document"]
    cleo = EndUser(project)
    refused(cleo.get(f"/tasks/{task['id']}"), 404)
    cleo.create("memberships", {"teamId": "red", "userId": cleo.id, "role": "owner"})
    ok(cleo.delete(f"/tasks/{task['id']}"), 204)


def test_each_policy_is_checked():
    """No file of the guide is left out by its form."""
    guide = TEXT[: TEXT.index("\n## Explain")]
    parts = [section(TEXT, heading) for heading in SECTIONS]
    assert sum(len(FILE.findall(part)) for part in parts) == len(fenced(guide, "json")) > 0
    assert sum(len(calls(part)) for part in parts) == len(calls(guide)) > 0
    for part in parts:
        called = {call["who"] for call in calls(part)}
        assert {"ann", "ben", "visitor"} <= called


def test_each_section_that_others_name_is_there():
    headings = set(re.findall(r"^#+ (.+)$", TEXT, re.M))
    named = set()
    for path in [*ROOT.glob("docs/*.md"), *ROOT.glob("*.md"), *ROOT.glob("examples/*/README.md")]:
        named |= set(re.findall(r"policies\.md#([\w-]+)", path.read_text()))
    named |= set(re.findall(r"\]\(#([\w-]+)\)", TEXT))
    anchors = {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}
    assert named <= anchors, named - anchors
    cited = set()
    for path in ROOT.glob("src/**/*.[hc]*"):
        cited |= set(re.findall(r'docs/policies\.md, "([^"]+)"', path.read_text().replace("\n// ", " ")))
    assert cited and cited <= headings, cited - headings
