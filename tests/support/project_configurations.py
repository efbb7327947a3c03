"""Configurations of projects for these tests: creating and reading them."""

import random

from support.client import Api, Project, ok

POLICY = {
    "read": {"filter": {"ownerId": "$auth.uid", "state": {"$in": ["open", "late"]}}, "deniedReadFields": ["cost"]},
    "create": {"validate": "auth.uid != ''"},
    "update": {"immutableFields": ["serial", "kind"]},
}
SCHEMA = {
    "type": "object",
    "required": ["title", "at"],
    "properties": {
        "title": {"type": "string", "maxLength": 80},
        "at": {"type": "string", "x-bson": "date"},
        "author": {"type": "string", "x-ref": "people"},
        "state": {"enum": ["open", "closed", "late"]},
    },
}

# In the form of the exported document.
WEBHOOK = {
    "name": "Told",
    "collection": "posts",
    "events": ["insert", "delete"],
    "url": "https://hooks.example/posts?of=shop",
    "headers": {"x-team": "shop"},
    "fields": ["author.name", "title"],
}

FRIENDS = {"name": "friends", "collection": "people", "where": {"account": "$auth.uid"}, "value": "group"}
PEOPLE = {
    "list": {"filter": {"group": {"$in": "$auth.sets.friends"}, "plan": "$auth.token.plan"}},
    "public": {"read": {"filter": {"listed": True}}},
}
SETTINGS = {"profileFields": ["metadata.photo", "name"], "tokenClaims": ["plan"]}
VARIABLES = [{"name": "STOCK_KEY", "secret": True}, {"name": "STOCK_URL", "secret": False}]
FILE_RULES = {"read": {"filter": {"metadata.group": {"$in": "$auth.sets.friends"}}}, "create": {"validate": "file.size < 9"}}

VECTORS = {
    "collection": "posts",
    "fields": [
        {"name": "near", "dimensions": 3, "metric": "dot", "mode": "manual", "index": {"m": 8, "efSearch": 50}},
        {"name": "also", "dimensions": 2, "metric": "cosine", "mode": "manual"},
    ],
}


def shuffled(value, chance: random.Random):
    """Returns the same JSON with the fields of its objects in another order."""
    if isinstance(value, dict):
        fields = [(key, shuffled(each, chance)) for key, each in value.items()]
        chance.shuffle(fields)
        return dict(fields)
    if isinstance(value, list):
        return [shuffled(each, chance) for each in value]
    return value


def make(project: Project, seed: int = 0) -> None:
    """Creates an entry of every section by the admin routes, in an order that depends on `seed`."""
    admin, chance = project.admin, random.Random(seed)

    def collection(name, schema=None, policy=None, indexes=(), vectors=None):
        steps = [("PUT", "schema", schema), ("PUT", "policy", policy), ("PUT", "vector-config", vectors)]
        steps += [("POST", "indexes", index) for index in indexes]
        chance.shuffle(steps)
        for method, what, body in steps:
            if body is not None:
                answer = admin.call(method, f"/admin/collections/{name}/{what}", shuffled(body, chance))
                ok(answer, 204 if method == "PUT" else 201)

    def variable(each):
        ok(admin.put(f"/admin/variables/{each['name']}", {"value": "very-secret", "secret": each["secret"]}), 204)

    names = ["posts", "people", "Bare", "line-items"]  # before the schemas that refer to them
    chance.shuffle(names)
    for name in names:
        ok(admin.post("/admin/collections", {"name": name}), 201)

    indexes = [{"keys": {"title": 1}, "unique": True}, {"name": "fresh", "keys": {"at": 1}, "expireAfterSeconds": 60}]
    steps = [
        lambda: collection("posts", SCHEMA, POLICY, indexes, {"fields": VECTORS["fields"]}),
        lambda: collection("people", indexes=[{"keys": {"account": 1}}]),
        lambda: collection("Bare"),
        lambda: collection("line-items", {"properties": {"clientSecret": {"type": "string"}}}),
        lambda: ok(admin.put("/admin/collections/*/policy", shuffled({"read": {}, "admin": {}}, chance)), 204),
        lambda: project.role("audit:read", "data:posts:*", name="Writer"),
        lambda: project.role(name="Auditor"),
        lambda: project.enduser_role("data:posts:read", name="Guest"),
        lambda: ok(admin.put("/admin/auth/oauth/providers/github", {"clientId": "gh", "enabled": False}), 204),
        lambda: ok(
            admin.put(
                "/admin/auth/oauth/providers/google",
                {"clientId": "abc", "enabled": True, "clientSecret": "very-secret"},
            ),
            204,
        ),
        lambda: ok(
            admin.put("/admin/auth/oauth/redirects", {"allowedRedirects": ["https://b.example", "https://a.example"]}),
            204,
        ),
        lambda: ok(admin.post("/admin/webhooks", shuffled(WEBHOOK, chance)), 201),
        lambda: ok(admin.post("/admin/storage/buckets", {"name": "photos", "access": "public"}), 201),
        lambda: ok(admin.post("/admin/storage/buckets", {"name": "Archive"}), 201),
        lambda: ok(project.owner.patch(f"/control/projects/{project.id}", {"settings": SETTINGS}), 204),
    ]
    steps += [lambda each=each: variable(each) for each in VARIABLES]
    chance.shuffle(steps)
    for step in steps:
        step()

    # What names others comes after them.
    friends = {key: value for key, value in FRIENDS.items() if key != "name"}
    ok(admin.put(f"/admin/policies/sets/{FRIENDS['name']}", shuffled(friends, chance)), 204)
    ok(admin.put("/admin/collections/people/policy", shuffled(PEOPLE, chance)), 204)
    ok(admin.patch("/admin/storage/buckets/Archive", {"rules": shuffled(FILE_RULES, chance)}), 204)


def export_text(api: Api) -> str:
    """Returns the export's bytes without the time and the project's name."""
    response = api.get("/admin/config-export")
    exported = ok(response)
    text = response.text
    for part in (f'"exportedAt":"{exported["exportedAt"]}",', f'"project":{{"name":"{exported["project"]["name"]}"}},'):
        assert part in text
        text = text.replace(part, "")
    return text


def summary(answer: dict) -> tuple:
    assert answer["problems"] == []
    counts = answer["plan"]["summary"]
    actions = [change["action"] for change in answer["plan"]["changes"]]
    assert {action: actions.count(action) for action in counts} == counts
    return counts["create"], counts["update"], counts["unchanged"]
