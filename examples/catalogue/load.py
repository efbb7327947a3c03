"""Creates the catalogue's project (collections, schemas, policies, indexes, a key, two readers) and loads the documents
over HTTP with the API key, from many connections."""

import concurrent.futures
import secrets
import time

from api import Api, Refused

TEXT = {"type": "string"}
SCHEMAS = {
    "sections": {"type": "object", "required": ["name", "area"], "properties": {"name": TEXT, "area": TEXT}},
    "maintainers": {"type": "object", "required": ["name"], "properties": {"name": TEXT, "email": TEXT}},
    "packages": {
        "type": "object",
        "required": ["name", "version", "section", "maintainer", "installedKiB"],
        "additionalProperties": False,
        "properties": {
            "name": {"type": "string", "minLength": 2, "pattern": "^[a-z0-9][a-z0-9+.-]+$"},
            "version": TEXT,
            "architecture": TEXT,
            "section": {"type": "string", "x-ref": "sections"},
            "maintainer": {"type": "string", "x-ref": "maintainers"},
            "priority": {"enum": ["required", "important", "standard", "optional", "extra"]},
            "installedKiB": {"type": "integer", "minimum": 0},
            "downloadBytes": {"type": "integer", "minimum": 0},
            "depends": {"type": "array", "items": TEXT},
            "tags": {"type": "array", "items": TEXT},
            "summary": TEXT,
            "homepage": TEXT,
            "essential": {"type": "boolean"},
        },
    },
    "reviews": {
        "type": "object",
        "required": ["package", "stars"],
        "properties": {
            "package": {"type": "string", "x-ref": "packages"},
            "stars": {"type": "integer", "minimum": 1, "maximum": 5},
            "text": {"type": "string", "maxLength": 2000},
        },
    },
}

# Every signed-in user reads the catalogue; only the loading key writes it.
CATALOGUE_POLICY = {
    "read": {},
    "list": {},
    "create": {"validate": "auth.role == 'apikey'"},
}
# A review belongs to its writer; its package cannot be changed.
OWN = {"filter": {"ownerId": "$auth.uid"}}
REVIEW_POLICY = {
    "read": OWN,
    "list": OWN,
    "create": {"validate": "document.stars >= 1 && document.stars <= 5"},
    "update": {**OWN, "immutableFields": ["package"]},
    "delete": OWN,
}
INDEXES = {
    "packages": [
        {"keys": {"name": 1}, "unique": True},
        {"keys": {"section": 1, "installedKiB": -1}},
        {"keys": {"maintainer": 1}},
        {"keys": {"depends": 1}},
        {"keys": {"tags": 1}},
        {"keys": {"priority": 1}},
        {"keys": {"installedKiB": 1}},
    ],
    "maintainers": [{"keys": {"email": 1}}],
    "sections": [],
    "reviews": [{"keys": {"ownerId": 1}}],
}


class Project:
    """The loaded project: an admin's API, the loading key's, and two signed-in readers'."""

    def __init__(self, url):
        open_api = Api(url)
        mark = secrets.token_hex(4)
        person = {"email": f"catalogue-{mark}@example.com", "password": secrets.token_urlsafe(16)}
        open_api.call("POST", "/control/auth/register", person)
        control = open_api.with_token(open_api.call("POST", "/control/auth/login", person)["accessToken"])
        self.id = control.call("POST", "/control/projects", {"name": f"Catalogue {mark}"})["project"]["id"]
        self.admin = open_api.with_token(control.call("POST", f"/control/projects/{self.id}/token", {})["token"])
        for name, schema in SCHEMAS.items():
            self.admin.call("POST", "/admin/collections", {"name": name})
            self.admin.call("PUT", f"/admin/collections/{name}/schema", schema)
            policy = REVIEW_POLICY if name == "reviews" else CATALOGUE_POLICY
            self.admin.call("PUT", f"/admin/collections/{name}/policy", policy)
            for index in INDEXES[name]:
                self.admin.call("POST", f"/admin/collections/{name}/indexes", index)
        key = self.admin.call("POST", "/admin/api-keys", {"name": "loader", "scopes": ["read", "write"]})["key"]
        self.loader = open_api.with_token(key)
        self.readers = [self.reader(open_api, f"{name}-{mark}@example.com") for name in ("ada", "grace")]

    def reader(self, open_api, email):
        person = {"email": email, "password": secrets.token_urlsafe(16)}
        open_api.call("POST", f"/auth/register?project={self.id}", person)
        return open_api.with_token(open_api.call("POST", f"/auth/login?project={self.id}", person)["accessToken"])

    def load(self, collection, documents, connections):
        """Creates the documents; one that already exists (a retried create) counts as loaded."""

        def create(document):
            try:
                self.loader.call("POST", f"/{collection}", document)
            except Refused as refused:
                if refused.status != 409:
                    raise

        begin = time.perf_counter()
        with concurrent.futures.ThreadPoolExecutor(connections) as pool:
            for _ in pool.map(create, documents, chunksize=64):
                pass
        seconds = time.perf_counter() - begin
        print(f"  {len(documents):>6} {collection:<12} in {seconds:5.1f} s  ({len(documents) / seconds:.0f} a second)")
