"""A server with users, members, keys and roles, and for each kind of access a call that revokes it."""

import random

from client import in_parallel, raw_request
from targets import PASSWORD, Manybase, address, note

PEOPLE = 50
NOTES = 500
OPEN = {operation: {} for operation in ("read", "list", "create", "update", "delete")}
OWNER = {"email": "owner@example.com", "password": PASSWORD}


class Server(Manybase):
    """A server with two projects: one under load, and one to suspend."""

    def prepare(self):
        self.register_first(OWNER)
        self.sign_in_owner()
        self.project = self.post("/control/projects", {"name": "Busy"}, self.control)["project"]["id"]
        self.quiet = self.post("/control/projects", {"name": "Quiet"}, self.control)["project"]["id"]
        self.notes = {}
        for project in (self.project, self.quiet):
            admin = self.exchange(project, self.control)
            self.post("/admin/collections", {"name": "notes"}, admin)
            self.client.call("PUT", "/api/v1/admin/collections/notes/policy", OPEN, admin)
            ids = in_parallel(lambda i: self.post("/notes", note(i), admin)["document"]["id"], range(NOTES), 8)
            self.notes[project] = ids
        self.people = [self.register(self.project)["email"] for _ in range(PEOPLE)]

    def call(self, method, path, body=None, token=None):
        headers = {"x-forwarded-for": address(random.randrange(1 << 24))}
        return self.client.call(method, "/api/v1" + path, body, token, headers)

    def post(self, path, body, token=None):
        return self.call("POST", path, body, token)

    def sign_in_owner(self):
        self.control = self.post("/control/auth/login", OWNER)["accessToken"]

    def exchange(self, project, control):
        return self.post(f"/control/projects/{project}/token", {}, control)["token"]

    def register(self, project):
        body = {"email": f"p{random.randrange(16**12):012x}@example.com", "password": PASSWORD}
        return self.post(f"/auth/register?project={project}", body)["user"]

    def login(self, project, email):
        return self.post(f"/auth/login?project={project}", {"email": email, "password": PASSWORD})["accessToken"]

    def reading(self, token, project=None):
        return raw_request("GET", "/api/v1/notes/" + self.notes[project or self.project][0], token)

    def load(self):
        """Returns the requests of the 64 connections: mostly reads, every fifth a write."""
        tokens = in_parallel(lambda email: self.login(self.project, email), self.people, 4)
        rng = random.Random(5)
        requests = []
        for i in range(2000):
            token, path = rng.choice(tokens), "/api/v1/notes/" + rng.choice(self.notes[self.project])
            kind = i % 10
            if kind == 0:
                requests.append(raw_request("POST", "/api/v1/notes", token, note(i)))
            elif kind == 1:
                requests.append(raw_request("PATCH", path, token, {"stars": i % 6}))
            elif kind == 2:
                requests.append(raw_request("GET", "/api/v1/notes?limit=20", token))
            else:
                requests.append(raw_request("GET", path, token))
        return requests


# For every round, round() of each class returns the request that uses the access, the request that revokes it, and a
# function that restores it, or None.
class Session:
    name = "session revoked"

    def __init__(self, server):
        self.server = server
        self.email = server.register(server.project)["email"]

    def round(self):
        server = self.server
        token, other = server.login(server.project, self.email), server.login(server.project, self.email)
        sessions = server.call("GET", "/auth/sessions", token=token)["sessions"]
        own = next(session["id"] for session in sessions if session["current"])
        return server.reading(token), raw_request("DELETE", f"/api/v1/auth/sessions/{own}", other), None


class User:
    name = "user blocked"

    def __init__(self, server):
        self.server = server
        self.user = server.register(server.project)

    def round(self):
        server, path = self.server, f"/admin/users/{self.user['id']}/"
        token = server.login(server.project, self.user["email"])
        block = raw_request("POST", "/api/v1" + path + "block", server.admin)
        return server.reading(token), block, lambda: server.post(path + "activate", None, server.admin)


class Member:
    name = "member removed"

    def __init__(self, server):
        self.server = server
        self.person = {"email": "member@example.com", "password": PASSWORD}
        self.id = server.post("/control/auth/register", self.person)["user"]["id"]

    def round(self):
        server, path = self.server, f"/control/projects/{self.server.project}/members"
        server.post(path, {"email": self.person["email"], "role": "Editor"}, server.control)
        token = server.exchange(server.project, server.post("/control/auth/login", self.person)["accessToken"])
        return server.reading(token), raw_request("DELETE", f"/api/v1{path}/{self.id}", server.control), None


class Key:
    name = "key deleted"

    def __init__(self, server):
        self.server = server

    def round(self):
        created = self.server.post("/admin/api-keys", {"name": "a key", "scopes": ["read"]}, self.server.admin)
        remove = raw_request("DELETE", f"/api/v1/admin/api-keys/{created['apiKey']['id']}", self.server.admin)
        return self.server.reading(created["key"]), remove, None


class Project:
    name = "project suspended"

    def __init__(self, server):
        self.server = server
        self.email = server.register(server.quiet)["email"]

    def round(self):
        server, path = self.server, f"/control/projects/{self.server.quiet}/"
        token = server.login(server.quiet, self.email)
        suspend = raw_request("POST", "/api/v1" + path + "suspend", server.control)
        return server.reading(token, server.quiet), suspend, lambda: server.post(path + "resume", None, server.control)


class Role:
    name = "role changed"

    def __init__(self, server):
        self.server = server
        self.user = server.register(server.project)
        for name, permissions in (("reader", ["data:notes:read"]), ("outsider", ["data:other:read"])):
            server.post("/admin/enduser-roles", {"name": name, "permissions": permissions}, server.admin)

    def round(self):
        server, path = self.server, f"/admin/users/{self.user['id']}"
        server.call("PATCH", path, {"metadata": {"role": "reader"}}, server.admin)
        token = server.login(server.project, self.user["email"])
        change = raw_request("PATCH", "/api/v1" + path, server.admin, {"metadata": {"role": "outsider"}})
        return server.reading(token), change, None


KINDS = (Session, User, Member, Key, Project, Role)
