"""GraphQL gives no access that REST denies: policies, field rules, tenants, floods."""

import pytest

from support.client import OPEN_POLICY, ok

SCHEMA = {
    "type": "object",
    "properties": {
        "n": {"type": "integer"},
        "pin": {"type": "string"},
        "place": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}},
        "friend": {"type": "string", "x-ref": "vault"},
        "friends": {"type": "array", "items": {"type": "string", "x-ref": "vault"}},
    },
}
OWN = {"ownerId": "$auth.uid"}
POLICY = {
    "read": {"filter": OWN, "deniedReadFields": ["pin", "place.street"]},
    "list": {"filter": OWN},
    "create": {},
    "update": {"filter": OWN},
    "delete": {"filter": OWN},
}


@pytest.fixture(scope="module")
def vault(project, alice, bob):
    project.collection("vault", POLICY, SCHEMA)
    theirs = bob.create("vault", {"n": 2, "pin": "9876", "place": {"street": "Secret", "city": "Oslo"}})
    mine = alice.create(
        "vault",
        {
            "n": 1,
            "pin": "1234",
            "place": {"street": "Hidden", "city": "Rome"},
            "friend": theirs["id"],
            "friends": [theirs["id"]],
        },
    )
    return mine["id"], theirs["id"]


def test_documents_that_the_rule_hides(alice, bob, vault, data, codes):
    mine, theirs = vault
    assert data(alice, "{vault{id friend{id} friendId friends{id}} vaultCount}") == {
        "vault": [{"id": mine, "friend": None, "friendId": theirs, "friends": []}],
        "vaultCount": 1,
    }
    assert data(alice, f'{{vaultById(id: "{theirs}"){{n}} vaultCount(filter: {{id: "{theirs}"}})}}') == {
        "vaultById": None,
        "vaultCount": 0,
    }
    for change in (
        f'updateVault(id: "{theirs}", patch: {{n: 9}}){{id}}',
        f'replaceVault(id: "{theirs}", input: {{n: 9}}){{id}}',
        f'deleteVault(id: "{theirs}")',
    ):
        assert codes(alice, f"mutation{{{change}}}") == ["NOT_FOUND"]
    assert data(bob, "{vault{n}}") == {"vault": [{"n": 2}]}


def test_fields_that_nobody_reads(alice, vault, data, graphql):
    mine, _ = vault
    assert data(alice, "{vault{pin place{street city}}}") == {
        "vault": [{"pin": None, "place": {"street": None, "city": "Rome"}}]
    }
    changed = data(alice, f'mutation{{updateVault(id: "{mine}", patch: {{n: 3}}){{pin place{{street}}}}}}')
    assert changed == {"updateVault": {"pin": None, "place": {"street": None}}}
    guesses = [
        ("vault(filter: {pin: $g}){id}", "1234", "0000"),
        ("vault(filter: {not: {pin: {ne: $g}}}){id}", "1234", "0000"),
        ("vault(filter: {place: {street: $g}}){id}", "Hidden", "no"),
        ("vault(filter: {place: {eq: {street: $g}}}){id}", "Hidden", "no"),
        ("vaultCount(filter: {and: [{or: [{pin: {in: [$g]}}]}]})", "1234", "0000"),
    ]
    for field, right, wrong in guesses:
        answers = [graphql(alice, f"query($g: String){{{field}}}", {"g": guess}) for guess in (right, wrong)]
        assert answers[0] == answers[1] and answers[0]["errors"][0]["extensions"]["code"] == "FORBIDDEN", field
    for sort in ("{pin: 1}", '"-pin"', "{place: 1}", '[{n: 1}, "place.street"]'):
        assert graphql(alice, f"{{vault(sort: {sort}){{id}}}}")["errors"][0]["extensions"]["code"] == "FORBIDDEN", sort


def test_owners_are_set_by_the_server(alice, bob, vault, data):
    made = data(alice, f'mutation{{createVault(input: {{ownerId: "{bob.id}"}}){{id ownerId}}}}')["createVault"]
    assert made["ownerId"] == alice.id
    ok(alice.delete(f"/vault/{made['id']}"), 204)


def test_the_rules_that_read(project, alice, data, codes):
    """Lists, counts and single documents use the list rule, relations the read rule of their target."""
    project.collection("listed", {"list": {}, "create": {}})
    project.collection(
        "readable", {"read": {}, "create": {}}, {"type": "object", "properties": {"a": {"type": "string"}}}
    )
    links = {
        "type": "object",
        "properties": {"l": {"type": "string", "x-ref": "listed"}, "r": {"type": "string", "x-ref": "readable"}},
    }
    project.collection("links", OPEN_POLICY, links)
    listed, readable = alice.create("listed", {"a": "x"}), alice.create("readable", {"a": "y"})
    alice.create("links", {"l": listed["id"], "r": readable["id"]})
    assert data(alice, f'{{listed{{id}} listedCount listedById(id: "{listed["id"]}"){{id}}}}')["listedCount"] == 1
    for query in ("{readable{id}}", "{readableCount}", f'{{readableById(id: "{readable["id"]}"){{id}}}}'):
        assert codes(alice, query) == ["FORBIDDEN"]
    assert data(alice, "{links{l{id} lId r{a}}}") == {"links": [{"l": None, "lId": listed["id"], "r": {"a": "y"}}]}


def test_collections_out_of_reach(project, alice, data, graphql):
    project.collection("payrolls", OPEN_POLICY, {"type": "object", "properties": {"salary": {"type": "integer"}}})
    project.collection("notices", OPEN_POLICY)
    reader = project.end_user(project.enduser_role("data:notices:*"))
    query = "{__schema{types{name} queryType{fields{name}}}}"
    for caller, seen in ((alice, True), (reader, False), (alice, True)):
        shown = str(data(caller, query))
        assert ("Payrolls" in shown, "payrollsCount" in shown, "notices" in shown) == (seen, seen, True)
    assert data(alice, "{payrolls{id}}") == {"payrolls": []}
    hidden, missing = graphql(reader, "{payrolls{id}}"), graphql(reader, "{nowheres{id}}")
    assert str(hidden).replace("payrolls", "nowheres") == str(missing)


def test_other_projects(owner, vault, graphql, data):
    other = owner.create_project()
    stranger = other.end_user()
    assert "errors" in graphql(stranger, "{vault{id}}")
    other.collection("vault", OPEN_POLICY)
    assert data(stranger, "{vault{id} vaultCount}") == {"vault": [], "vaultCount": 0}
    assert data(stranger, f'{{vaultById(id: "{vault[0]}"){{id}}}}') == {"vaultById": None}


def test_operators_where_values_belong(alice, vault, codes):
    assert codes(alice, "query($f: VaultFilter){vault(filter: $f){id}}", {"f": {"n": {"$where": "1"}}}) == [
        "INVALID_FILTER"
    ]
    assert codes(alice, "query($f: VaultFilter){vault(filter: $f){id}}", {"f": {"$or": []}}) == ["VALIDATION"]
    assert codes(alice, "query($i: ID!){vaultById(id: $i){id}}", {"i": {"$ne": ""}}) == ["VALIDATION"]
    assert codes(alice, "mutation($i: ID!){deleteVault(id: $i)}", {"i": ["a"]}) == ["VALIDATION"]
    assert codes(alice, "mutation($p: VaultPatch!){updateVault(id: 1, patch: $p){id}}", {"p": {"$set": {}}}) == [
        "VALIDATION"
    ]


def deep(levels: int) -> str:
    return "{vault" + "{friend" * (levels - 2) + "{id" + "}" * levels


FLOODS = {
    "deeper than 12": deep(13),
    "21 aliases of one field": "{" + " ".join(f"a{n}: vaultCount" for n in range(21)) + "}",
    "aliases over fragments": "{" + " ".join("... {a%d: vaultCount}" % n for n in range(21)) + "}",
    "costly": "{vault(limit: 1000){friends{id}}}",
    "costly by many": "{" + " ".join(f"a{n}: vault(limit: 300){{id}}" for n in range(20)) + "}",
    "a circle of fragments": "{vault{...A}} fragment A on Vault{...B} fragment B on Vault{...A}",
    "fragments that double": "{vault{...F0}} "
    + " ".join(f"fragment F{n} on Vault{{{' '.join(f'a{k}: friend{{...F{n + 1}}}' for k in range(4))}}}" for n in range(9))
    + " fragment F9 on Vault{id}",
    "100,000 levels": "{vault" * 100_000,
    "100,000 brackets": "{vault(sort: " + "[" * 100_000 + "){id}}",
    "too many tokens": "{" + "vaultCount " * 60_000 + "}",
    "one name often": "{" + " ".join(f"a{n % 7}: vaultCount" for n in range(9_000)) + " b: vault{" + "id " * 9_000 + "}}",
    "introspection in itself": "{__schema{types" + "{fields{type" * 10 + "{name" + "}}" * 10 + "}}}",
    "a long name": "{" + "a" * 900_000 + "}",
    "a huge $in": "{vaultCount(filter: {n: {in: [" + "1," * 9_000 + "]}})}",
    "a long name in every problem": "query "
    + "N" * 1_000
    + " {"
    + " ".join(f"a{n}: vault(limit: $x{n}) {{id}}" for n in range(90))
    + "}",
    "directives": "{vaultCount " + "@skip(if: false) " * 3_000 + "}",
    "many problems": "{" + "nope " * 15_000 + "}",
    "many operations": " ".join(f"query Q{n}{{vaultCount}}" for n in range(3_000)),
}  # fmt: skip


@pytest.mark.parametrize("name", FLOODS)
def test_floods_are_refused(alice, vault, graphql, name):
    answer = graphql(alice, FLOODS[name])
    assert answer.get("errors"), answer
    assert len(answer["errors"]) <= 100 and len(str(answer)) < 300_000


def test_what_is_within_bounds(alice, vault, data):
    assert data(alice, deep(12))["vault"]
    assert len(data(alice, "{" + " ".join(f"a{n}: vaultCount" for n in range(20)) + "}")) == 20
    assert data(alice, "{vault(limit: 1000){friend{id}}}")["vault"]


def test_answers_that_grow_too_large(project, data, graphql, server):
    key = project.api_key("read", "write")
    project.collection("heavy", OPEN_POLICY, {"type": "object", "properties": {"body": {"type": "string"}}})
    for _ in range(12):
        key.create("heavy", {"body": "x" * 900_000})
    assert len(data(key, "{heavy{id body}}")["heavy"]) == 12
    aliases = " ".join(f"b{n}: body" for n in range(5))
    answer = graphql(key, f"{{heavy{{{aliases}}}}}")
    assert answer["data"] is None and answer["errors"][0]["extensions"]["code"] == "PAYLOAD_TOO_LARGE"
    answer = graphql(key, "{a: heavy{id} b: heavy{id}}")
    assert answer["errors"][0]["extensions"]["code"] == "PAYLOAD_TOO_LARGE"


def test_floods_hold_nobody_up(alice, bob, vault, graphql, data):
    """Other clients still get responses afterwards."""
    for name in ("100,000 levels", "fragments that double", "one name often", "many problems"):
        graphql(alice, FLOODS[name])
    assert data(bob, "{vault{n}}") == {"vault": [{"n": 2}]}
