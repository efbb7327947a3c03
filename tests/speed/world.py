"""The project that is measured: 100,000 documents, and some of everything for the other screens."""

from support.client import PASSWORD, Project, ok
from support.function import Function

MANY = 100_000
# Screens of one kind, of which each is opened for the first time.
ROUNDS = 11
LINES = 200
TEXT = {"type": "string"}
READING = {"type": "object", "properties": {"place": TEXT, "value": {"type": "number"}, "unit": {"enum": ["C", "hPa"]}, "checked": {"type": "boolean"}, "note": TEXT}}
CODE = "\n".join(
    (
        "// Sums up the readings of a place.",
        "export default async (event, ctx) => {",
        '  const found = await ctx.db.find("readings", { place: event.place }, { limit: 100 });',
        *(f"  const sum{at} = found.filter((one) => one.value > {at}).reduce((sum, one) => sum + one.value, 0);" for at in range(60)),
        f"  return {{ sums: [{', '.join(f'sum{at}' for at in range(60))}] }};",
        "};\n",
    )
)
LOUD = f"for (let line = 0; line < {LINES}; line++) console.log(`line ${{line}} of the run, with what it has read: ${{'x'.repeat(80)}}`);"


def reading(at: int) -> dict:
    return {"id": f"r{at:05}", "place": f"Station {at % 40}", "value": at * 7 % 400 / 10, "unit": "C" if at % 2 else "hPa", "checked": at % 3 == 0, "note": f"Reading {at}"}


def build(owner) -> Project:
    project = owner.create_project("Weather")
    project.collection("readings", schema=READING)
    project.fill("readings", MANY, reading)
    for at in range(ROUNDS):
        project.collection(shelf(at), schema=READING)
        project.fill(shelf(at), 300, reading)
        one = Function(project, CODE, {"type": "http", "method": "GET", "path": f"/sum/{at}"}, name=function(at))
        one.invoke({"type": "http", "method": "GET", "path": f"/sum/{at}"})
    Function(project, LOUD, {"type": "http", "method": "GET", "path": "/loud"}, name="loud")
    _others(project)
    return project


def shelf(at: int) -> str:
    return f"shelf-{at:02}"


def function(at: int) -> str:
    return f"sum-{at:02}"


def _others(project: Project) -> None:
    """What the other screens list."""
    admin = project.admin
    for at in range(30):
        ok(admin.post("/admin/users", {"email": f"reader{at:02}@example.com", "password": PASSWORD, "name": f"Reader {at}"}), 201)
    for at in range(8):
        ok(admin.post("/admin/api-keys", {"name": f"Station {at}", "scopes": ["read"]}), 201)
        project.role("data:*:read", name=f"Keeper-{at}")
        ok(admin.put(f"/admin/variables/PLACE_{at}", {"value": f"Station {at}"}), 204)
        config = {"baseUrl": f"https://station{at}.example.com"}
        ok(admin.post("/admin/integrations", {"name": f"station-{at}", "provider": "http", "config": config}), 201)
        hook = {"name": f"hook-{at}", "collection": "shelf-00", "events": ["insert"], "url": f"https://station{at}.example.com/readings"}
        ok(admin.post("/admin/webhooks", {**hook, "enabled": False}), 201)
        ok(admin.post("/admin/storage/buckets", {"name": f"bucket-{at}", "access": "private"}), 201)
