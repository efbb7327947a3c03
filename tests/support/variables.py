"""Variables of projects, and the environments that have their own values."""

import json

from support.client import PlatformUser, Project, ok, refused, unique

VARIABLES = "/admin/variables"
SETTINGS = {
    "SERVICE_OUTBOUND_ALLOW": "127.0.0.1",
    "SERVICE_LOG_LEVEL": "debug",
    "SERVICE_AUTH_RATE_LIMIT": "1000/60",
}


def put(api, name: str, status: int = 204, **body):
    return ok(api.put(f"{VARIABLES}/{name}", body), status)


def listed(api) -> list[dict]:
    return ok(api.get(VARIABLES))["variables"]


def problems(response) -> dict[str, str]:
    """Returns the message of each problem of a refused request, by its path."""
    return {each["path"]: each["message"] for each in refused(response, 400, "VALIDATION")["details"]}


def importing(api, document: dict, **params):
    return api.post("/admin/config-import", {"formatVersion": 1, **document}, params=params)


def hook_body(**more) -> dict:
    return {"name": unique("h"), "collection": "c", "events": ["insert"], "url": "https://a.example/", **more}


def environment(owner: PlatformUser, root: Project, label: str) -> Project:
    made = ok(owner.post(f"/control/projects/{root.id}/environments", {"environment": label}), 201)["project"]
    project = Project(owner, made)
    project.warnings = [warning["message"] for warning in made.get("warnings", [])]
    return project


def shape_of(api) -> str:
    exported = ok(api.get("/admin/config-export"))
    return json.dumps([exported[key] for key in exported if key not in ("exportedAt", "project")])


def promote(owner: PlatformUser, source: Project, target: Project, **params):
    body = {"fromProjectId": source.id, "toProjectId": target.id}
    return owner.post("/control/environments/promote", body, params=params)
