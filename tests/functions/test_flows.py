"""Flows: functions drawn as graphs, compiled at save, run like any other."""

import json
import re

import pytest

from support.client import ok, refused, unique
from support.flow import flow
from support.server import ROOT
from support.waiting import wait_until

MANUAL = {"type": "cron", "schedule": "@monthly"}


class Flow:
    def __init__(self, project, graph: dict, trigger: dict = MANUAL):
        self.admin, self.name = project.admin, unique("flow")
        given = {"name": self.name, "trigger": trigger, "flow": graph}
        self.made = ok(self.admin.post("/admin/functions", given), 201)["function"]
        self.route = f"/admin/functions/{self.name}"

    def run(self, payload=None) -> dict:
        return ok(self.admin.post(f"{self.route}/invoke", {"payload": payload}))["run"]

    def read(self) -> dict:
        return ok(self.admin.get(self.route))["function"]


def answer(project, values: dict, payload=None) -> dict:
    """Returns the values of the expressions, each in a field of its own."""
    made = Flow(project, flow([("t", "trigger"), ("r", "respond", {"status": 200, "body": values})], "t r"))
    run = made.run(payload)
    assert run["status"] == "success", run
    return run["result"]["body"]


PAYLOAD = {
    "n": 7,
    "half": 0.5,
    "name": "Zoë 🐟",
    "empty": "",
    "none": None,
    "flag": True,
    "list": [3, 1, 2],
    "people": [{"name": "Ann", "age": 41}, {"name": "Bob", "age": 17}],
    "nested": {"a": {"b": "deep"}},
    "when": "2026-01-31T09:30:00.250Z",
}

EXPRESSIONS = [
    ("1 + 2 * 3", 7),
    ("event.payload.n / 2", 3),
    ("event.payload.n % 4", 3),
    ("-event.payload.n / 2", -3),
    ("double(event.payload.n) / 2.0", 3.5),
    ("event.payload.half + 1.0", 1.5),
    ("event.payload.n * event.payload.n", 49),
    ("event.payload.name + '!'", "Zoë 🐟!"),
    ("size(event.payload.name)", 5),
    ("event.payload.list + [9]", [3, 1, 2, 9]),
    ("event.payload.list[1]", 1),
    ("event.payload['n']", 7),
    ("event.payload.nested.a.b", "deep"),
    ("event.payload.none == null", True),
    ("event.payload.n == 7.0", True),
    ("event.payload.n == '7'", False),
    ("event.payload.n != 7", False),
    ("event.payload.nested == {'a': {'b': 'deep'}}", True),
    ("event.payload.list == [3, 1, 2]", True),
    ("event.payload.n > 6 && event.payload.flag", True),
    ("event.payload.n < 6 || !event.payload.flag", False),
    ("event.payload.name >= 'A'", True),
    ("event.payload.flag ? 'yes' : 'no'", "yes"),
    ("has(event.payload.n)", True),
    ("has(event.payload.missing)", False),
    ("has(event.payload.nested.a.c) ? 1 : 2", 2),
    ("3 in event.payload.list", True),
    ("'a' in event.payload.nested", True),
    ("'toString' in event.payload.nested", False),
    ("event.payload.list.all(x, x > 0)", True),
    ("event.payload.list.exists(x, x == 2)", True),
    ("event.payload.list.exists_one(x, x > 1)", False),
    ("event.payload.people.filter(p, p.age >= 18).map(p, p.name)", ["Ann"]),
    ("event.payload.people.map(p, p.age < 18, {'who': p.name})", [{"who": "Bob"}]),
    ("event.payload.nested.map(key, key)", ["a"]),
    ("event.payload.name.startsWith('Zo')", True),
    ("event.payload.name.endsWith('🐟')", True),
    ("event.payload.name.contains('x')", False),
    ("event.payload.name.matches('^Z.. .$')", True),
    ("'a/b'.matches('a/b')", True),
    ("'a\\n/'.matches('^a\\n\\\\/$')", True),
    ("'a.b'.matches('a\\\\.b') && !'axb'.matches('a\\\\.b')", True),
    ("int('42') + 1", 43),
    ("int(2.9)", 2),
    ("string(event.payload.n) + 'x'", "7x"),
    ("bool('true')", True),
    ("timestamp(event.payload.when).getFullYear()", 2026),
    ("timestamp(event.payload.when).getMonth()", 0),
    ("timestamp(event.payload.when).getDayOfMonth()", 30),
    ("timestamp(event.payload.when).getDate()", 31),
    ("timestamp(event.payload.when).getDayOfWeek()", 6),
    ("timestamp(event.payload.when).getDayOfYear()", 30),
    ("timestamp(event.payload.when).getMilliseconds()", 250),
    ("timestamp(event.payload.when) + duration('90m')", "2026-01-31T11:00:00.250Z"),
    ("timestamp(event.payload.when) - timestamp('2026-01-31T09:00:00Z')", "1800.25s"),
    ("timestamp(event.payload.when) > timestamp('2026-01-01T00:00:00Z')", True),
    ("duration('1h30m') == duration('90m')", True),
    ("string(timestamp('2026-01-31T09:30:00Z'))", "2026-01-31T09:30:00Z"),
    ("now > timestamp('2020-01-01T00:00:00Z')", True),
    ("auth == null", False),
    ("{'a': [1, {'b': event.payload.n}]}", {"a": [1, {"b": 7}]}),
    ("{'__proto__': 1}.size()", 1),
]


def test_expressions_mean_what_cel_has_them_mean(project):
    values = {f"e{n}": "{{ " + source + " }}" for n, (source, _) in enumerate(EXPRESSIONS)}
    found = answer(project, values, PAYLOAD)
    wrong = {
        source: (found[f"e{n}"], wanted)
        for n, (source, wanted) in enumerate(EXPRESSIONS)
        if found[f"e{n}"] != wanted or type(found[f"e{n}"]) is not type(wanted)
    }
    assert not wrong


ERRORS = [
    "event.payload.missing",
    "event.payload.n.x",
    "event.payload.list[3]",
    "event.payload.list['0']",
    "event.payload.n / 0",
    "event.payload.n % 0",
    "event.payload.n + 'x'",
    "event.payload.n < 'x'",
    "event.payload.n && true",
    "event.payload.n ? 1 : 2",
    "event.payload.n.startsWith('7')",
    "event.payload.name.size() > event.payload.none",
    "event.constructor",
    "event.payload.nested.__proto__",
    "int('x')",
    "timestamp('yesterday')",
    "duration('soon')",
    "9007199254740991 + event.payload.n",
]


@pytest.mark.parametrize("source", ERRORS)
def test_an_expression_that_fails_ends_the_run(project, source):
    made = Flow(project, flow([("t", "trigger"), ("r", "respond", {"body": "{{ " + source + " }}"})], "t r"))
    run = made.run(PAYLOAD)
    assert run["status"] == "error" and run["error"], run


def test_text_holds_expressions(project):
    found = answer(
        project,
        {
            "a": "Hi {{ event.payload.name }}, {{event.payload.n}} times",
            "b": "{{ event.payload.none }}|{{ event.payload.list }}|{{ event.payload.flag }}",
            "c": "`${event}` \\ \" {{ '}}' }} { }",
            "d": ["{{ event.payload.n }}", {"x y": "{{ event.payload.flag }}", "__proto__": 1}],
        },
        PAYLOAD,
    )
    assert found == {
        "a": "Hi Zoë 🐟, 7 times",
        "b": "|[3,1,2]|true",
        "c": "`${event}` \\ \" }} { }",
        "d": [7, {"x y": True, "__proto__": 1}],
    }


def test_every_node_does_what_it_says(project):
    admin, orders, copies = project.admin, project.collection(), project.collection()
    for total in (5, 15, 25):
        ok(admin.post(f"/admin/collections/{orders}/documents", {"customer": "ann", "total": total}), 201)
    ok(admin.post(f"/admin/collections/{orders}/documents", {"customer": "bob", "total": 99}), 201)
    graph = flow(
        [
            ("t", "trigger"),
            ("names", "set", {"values": {"who": "{{ event.payload.who }}", "sum": 0, "large": 0}}),
            ("found", "find", {"collection": orders, "filter": {"customer": "{{ who }}"}, "limit": 10, "as": "rows"}),
            ("any", "condition", {"expression": "size(rows) > 0"}),
            ("none", "stop", {"reason": "nothing for {{ who }}"}),
            ("each", "forEach", {"items": "{{ rows }}", "as": "row"}),
            ("add", "set", {"values": {"sum": "{{ sum + row.total }}"}}),
            ("big", "condition", {"expression": "{{ row.total >= 15 }}"}),
            ("count", "code", {"code": "vars.large += 1;\nconsole.warn(`large ${vars.row.total as number}`);"}),
            (
                "mark",
                "update",
                {"collection": orders, "filter": {"id": "{{ row.id }}"}, "update": {"$set": {"large": True}}},
            ),
            ("drop", "delete", {"collection": orders, "filter": {"customer": "bob"}}),
            (
                "copy",
                "insert",
                {"collection": copies, "document": {"sum": "{{ sum }}", "of": "{{ who }}", "at": "{{ now }}"}},
            ),
            ("say", "log", {"level": "error", "message": "{{ who }}: {{ sum }}"}),
            (
                "end",
                "respond",
                {"status": 201, "headers": {"x-sum": "{{ string(sum) }}"}, "body": {"large": "{{ large }}"}},
            ),
        ],
        [
            "t names", "names found", "found any", "any each true", "any none false",
            "each add each", "add big", "big count true", "count mark", "mark each",
            "each drop done", "drop copy", "copy say", "say end",
        ],
    )  # fmt: skip
    made = Flow(project, graph)
    run = made.run({"who": "ann"})
    assert run["status"] == "success", run
    assert run["result"] == {"status": 201, "headers": {"x-sum": "45"}, "body": {"large": 2}}
    assert [(line["level"], line["message"]) for line in run["logs"]] == [
        ("warn", "large 15"),
        ("warn", "large 25"),
        ("error", "ann: 45"),
    ]
    left = ok(admin.get(f"/admin/collections/{orders}/documents"))["documents"]
    assert sorted((each["total"], each.get("large")) for each in left) == [(5, None), (15, True), (25, True)]
    copied = ok(admin.get(f"/admin/collections/{copies}/documents"))["documents"]
    assert [(each["sum"], each["of"]) for each in copied] == [(45, "ann")] and "T" in copied[0]["at"]
    stopped = made.run({"who": "carl"})
    assert stopped["status"] == "success" and stopped.get("result") is None
    assert [line["message"] for line in stopped["logs"]] == ["stopped: nothing for carl"]


def test_ways_cross_join_and_go_on_with_the_loop_outside(project):
    """Every branch of a graph that is not a tree."""
    graph = flow(
        [
            ("t", "trigger"),
            ("init", "set", {"values": {"trace": ""}}),
            ("outer", "forEach", {"items": "{{ event.payload }}", "as": "o"}),
            ("a", "condition", {"expression": "o.a"}),
            ("b", "condition", {"expression": "o.b"}),
            ("x", "set", {"values": {"trace": "{{ trace + 'x' }}"}}),
            ("y", "set", {"values": {"trace": "{{ trace + 'y' }}"}}),
            ("inner", "forEach", {"items": [1, 2], "as": "i"}),
            ("skip", "condition", {"expression": "o.skip && i == 2"}),
            ("z", "set", {"values": {"trace": "{{ trace + string(i) }}"}}),
            ("after", "set", {"values": {"trace": "{{ trace + '.' }}"}}),
            ("end", "respond", {"body": "{{ trace }}"}),
        ],
        [
            "t init", "init outer", "outer a each", "outer end done",
            "a b true", "a y false", "b x true", "b y false", "x inner", "y inner",
            "inner skip each", "inner after done", "skip outer true", "skip z false", "z inner", "after outer",
        ],
    )  # fmt: skip
    made = Flow(project, graph)
    ways = [{"a": a, "b": b, "skip": skip} for a in (True, False) for b in (True, False) for skip in (True, False)]
    run = made.run(ways)
    assert run["status"] == "success", (run, made.made["code"])
    assert run["result"]["body"] == "x1" + "x12." + "y1" + "y12." + "y1" + "y12." + "y1" + "y12."


def test_a_flow_answers_http(server, project):
    graph = flow(
        [
            ("t", "trigger"),
            ("ok", "condition", {"expression": "size(event.params.name) < 5"}),
            ("hi", "respond", {"body": {"hello": "{{ event.params.name }}", "q": "{{ request.query.q }}"}}),
            ("no", "respond", {"status": 422, "body": "too long"}),
        ],
        ["t ok", "ok hi true", "ok no false"],
    )
    path = unique("hello")
    Flow(project, graph, {"type": "http", "method": "GET", "path": f"/{path}/:name"})
    answer = server.http.get(f"/api/v1/run/{project.slug}/{path}/Ann?q=1")
    assert answer.status_code == 200 and answer.json() == {"hello": "Ann", "q": "1"}
    answer = server.http.get(f"/api/v1/run/{project.slug}/{path}/Alexander")
    assert answer.status_code == 422 and answer.text == "too long"


def test_a_flow_follows_a_collection(project):
    orders, log = project.collection(), project.collection()
    graph = flow(
        [
            ("t", "trigger"),
            ("some", "condition", {"expression": "document.a == event.document.a"}),
            ("keep", "insert", {"collection": log, "document": {"of": "{{ document.id }}"}}),
        ],
        ["t some", "some keep true"],
    )
    Flow(project, graph, {"type": "database", "collection": orders, "events": ["insert"]})
    made = ok(project.admin.post(f"/admin/collections/{orders}/documents", {"a": 1}), 201)["document"]["id"]
    listing = f"/admin/collections/{log}/documents"
    wait_until(lambda: [each["of"] for each in ok(project.admin.get(listing))["documents"]] == [made])


def test_a_filter_takes_no_operators_from_data(project):
    people = project.collection()
    ok(project.admin.post(f"/admin/collections/{people}/documents", {"email": "a@b.c"}), 201)
    graph = flow(
        [
            ("t", "trigger"),
            ("f", "find", {"collection": people, "filter": {"email": "{{ event.payload.email }}"}, "as": "rows"}),
            ("r", "respond", {"body": "{{ size(rows) }}"}),
        ],
        "t f r",
    )
    made = Flow(project, graph)
    assert made.run({"email": "a@b.c"})["result"]["body"] == 1
    for email in ({"$ne": None}, {"$regex": "."}, [{"$gt": ""}], {"a": [{"b": {"$gt": ""}}]}):
        assert made.run({"email": email})["status"] == "error"


def test_the_code_is_readable_and_says_that_it_is_generated(project):
    made = Flow(project, flow([("t", "trigger"), ("say", "log", {"message": "hi"})], "t say"))
    code = made.made["code"]
    header = "// Generated from this function's flow. Edits are ignored on push, which compiles the flow again.\n"
    assert code.startswith(header)
    assert '  // say: log\n  console.info("hi");\n' in code
    assert made.made["flow"] == flow([("t", "trigger"), ("say", "log", {"message": "hi"})], "t say")


def test_a_flow_is_post_only_and_its_code_is_not_edited(project):
    admin, collection = project.admin, project.collection()
    made = Flow(
        project,
        flow([("t", "trigger")], []),
        {"type": "database", "collection": collection, "events": ["insert"]},
    )
    refused(admin.patch(made.route, {"timing": "pre"}), 400, "VALIDATION", "/timing")
    refused(admin.patch(made.route, {"code": "export default () => 1;"}), 400, "VALIDATION", "/code")
    given = {"name": unique("flow"), "trigger": MANUAL, "flow": flow([("t", "trigger")], [])}
    refused(admin.post("/admin/functions", {**given, "code": "export default () => 1;"}), 400, "VALIDATION", "/code")
    assert made.read()["version"] == 1


def test_a_flow_is_left_for_code_by_hand_and_back(project):
    admin = project.admin
    made = Flow(project, flow([("t", "trigger"), ("r", "respond", {"body": 1})], "t r"))
    ok(admin.patch(made.route, {"flow": None, "code": "export default () => 'by hand';"}), 204)
    function = made.read()
    assert function["flow"] is None and function["version"] == 2
    assert made.run()["result"] == "by hand"
    ok(admin.patch(made.route, {"code": "export default () => 'again';"}), 204)
    # Rolling back to a version with a flow restores the flow.
    ok(admin.post(f"{made.route}/rollback", {"version": 1}))
    function = made.read()
    assert function["flow"] == made.made["flow"] and function["code"] == made.made["code"]
    refused(admin.patch(made.route, {"code": "export default () => 1;"}), 400, "VALIDATION", "/code")
    # Without `code` the compiled code stays.
    ok(admin.patch(made.route, {"flow": None}), 204)
    function = made.read()
    assert function["flow"] is None and function["code"].startswith("export default async function")
    assert made.run()["result"]["body"] == 1


LOG = ("a", "log", {"message": "x"})

WRONG = {
    "no trigger": (flow([LOG], []), "/flow/nodes", ""),
    "two triggers": (flow([("t", "trigger"), ("u", "trigger")], []), "/flow/nodes/1", '"u"'),
    "unreachable": (flow([("t", "trigger"), LOG], []), "/flow/nodes/1", '"a"'),
    "cycle": (flow([("t", "trigger"), LOG, ("b", "log", {"message": ""})], "t a b a"), "/flow/nodes/1", '"a"'),
    "unknown type": (flow([("t", "trigger"), ("a", "loop")], "t a"), "/flow/nodes/1/type", '"a"'),
    "unknown branch": (flow([("t", "trigger"), LOG], ["t a yes"]), "/flow/edges/0/branch", '"t"'),
    "expression": (
        flow([("t", "trigger"), ("c", "condition", {"expression": "event. > 1"}), LOG], ["t c", "c a true"]),
        "/flow/nodes/1/data/expression",
        '"c"',
    ),
    "unknown name": (
        flow([("t", "trigger"), ("a", "log", {"message": "{{ ordres }}"})], "t a"),
        "/flow/nodes/1/data/message",
        '"a"',
    ),
    "no counterpart": (
        flow([("t", "trigger"), ("a", "log", {"message": "{{ now.getHours('Asia/Tokyo') }}"})], "t a"),
        "/flow/nodes/1/data/message",
        '"a"',
    ),
    "code": (
        flow([("t", "trigger"), ("a", "code", {"code": "let x = ;"})], "t a"),
        "/flow/nodes/1/data/code",
        '"a" line 1, column 9',
    ),
    "unfinished template": (
        flow(
            [("t", "trigger"), ("a", "code", {"code": "let x;\nx = `a"}), ("b", "code", {"code": "x = `b`"})],
            ["t a", "a b"],
        ),
        "/flow/nodes/1/data/code",
        '"a" line 2, column ',
    ),
    "closed by another": (
        flow(
            [
                ("t", "trigger"),
                ("a", "code", {"code": "const n: number = 1;"}),
                ("b", "code", {"code": "if (event) {"}),
                ("c", "code", {"code": "}"}),
            ],
            ["t a", "a b", "b c"],
        ),
        "/flow/nodes/2/data/code",
        '"b" line 1, column 13',
    ),
    "reserved word": (
        flow([("t", "trigger"), ("a", "code", {"code": "const a: string = '';\nlet enum = a;"})], "t a"),
        "/flow/nodes/1/data/code",
        '"a" line 2, column 1: Unexpected strict mode reserved word',
    ),
    "data": (
        flow([("t", "trigger"), ("a", "find", {"collection": "x", "where": {}})], "t a"),
        "/flow/nodes/1/data/where",
        '"a"',
    ),
}


@pytest.mark.parametrize("graph, path, words", WRONG.values(), ids=WRONG)
def test_mistakes_are_reported_with_their_node(admin, graph, path, words):
    given = {"name": unique("flow"), "trigger": MANUAL, "flow": graph}
    error = refused(admin.post("/admin/functions", given), 400, "VALIDATION", path)
    assert words in next(each["message"] for each in error["details"] if each["path"] == path)


def test_the_documented_flow_is_one(project):
    page = (ROOT / "docs" / "functions.md").read_text()
    blocks = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", page, re.DOTALL)]
    made = Flow(project, next(block for block in blocks if "nodes" in block))
    run = made.run()
    assert run["status"] == "error" and "documentId" in run["error"], run
