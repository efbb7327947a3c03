"""The servers under measurement: started on a free port in an empty folder, with the same data and the same requests.

Every target offers: start(), stop(kill=False), pid, and after prepare(): requests(kind) for the kinds in KINDS.
All targets have the same work: OWNERS users own DOCUMENTS notes, a rule lets each see only their own, with an index for
it. Creates make drafts, under the same rule and index, so that reads stay among DOCUMENTS notes.
"""

import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from client import Client, in_parallel, raw_request

OWNERS = 500
SESSIONS = 2  # per user: OWNERS * SESSIONS tokens, round robin
DOCUMENTS = 10_000
PASSWORD = "correct horse battery"
KINDS = ["get", "list", "create", "patch", "login"]


def free_port():
    """Returns a free port below the ephemeral range, so that no connection takes it before the server does."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass


def note(number):
    """Returns a note of about 300 bytes of JSON."""
    return {
        "title": f"Note number {number}",
        "body": "It was the best of times, it was the worst of times, it was the age of wisdom. " * 2,
        "stars": number % 6,
        "done": number % 3 == 0,
        "tags": ["alpha", "beta", f"tag{number % 50}"],
    }


def list_path(collection, condition, limit=20):
    """Returns the path of a list with this filter."""
    text = urllib.parse.quote(json.dumps(condition, separators=(",", ":")), safe=":,$")
    return f"/api/v1/{collection}?limit={limit}&filter={text}"


def address(number):
    """Returns a forwarded address per number, so that the limit on logins per address does not take effect."""
    return f"10.{(number >> 16) & 255}.{(number >> 8) & 255}.{number & 255}"


class Target:
    name = ""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self.process = None
        self.client = Client(self.port)
        self.log = None

    @property
    def pid(self):
        return self.process.pid

    def command(self):
        raise NotImplementedError

    def environment(self):
        return {}

    def ready_path(self):
        raise NotImplementedError

    def start(self):
        """Starts the server; returns the seconds until its first successful response."""
        self.log = open(self.folder / "log", "ab")
        begin = time.perf_counter()
        self.process = subprocess.Popen(
            self.command(), cwd=self.folder, env={**os.environ, **self.environment()}, stdout=self.log, stderr=self.log
        )
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{self.ready_path()}", timeout=5) as response:
                    if response.status == 200:
                        return time.perf_counter() - begin
            except (urllib.error.URLError, ConnectionError):
                pass
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.name} ended at start, see {self.folder / 'log'}")
            if time.perf_counter() - begin > 30:
                raise RuntimeError(f"{self.name} did not respond within 30 s")
            time.sleep(0.002)

    def stop(self, kill=False):
        if self.process and self.process.poll() is None:
            self.process.kill() if kill else self.process.terminate()
            self.process.wait(30)
        if self.log:
            self.log.close()

    def cpu_seconds(self):
        """Returns the CPU seconds of all threads of the server since its start."""
        fields = open(f"/proc/{self.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_mib(self):
        for line in open(f"/proc/{self.pid}/status"):
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        return 0.0

    def requests(self, kind):
        """Returns prepared requests with the tokens round robin; deterministic."""
        rng = random.Random(7)
        tokens = self.tokens
        if kind == "get":
            picks = [(token, rng.choice(self.notes[owner])) for owner, token in tokens for _ in range(10)]
            rng.shuffle(picks)
            return [raw_request("GET", self.note_path(note_id), token) for token, note_id in picks]
        if kind in ("warm-get", "first-get"):
            sessions = tokens[:OWNERS] if kind == "warm-get" else tokens[OWNERS:]
            return [raw_request("GET", self.note_path(self.notes[owner][0]), token) for owner, token in sessions]
        if kind == "list":
            return [raw_request("GET", self.list_path(), token) for _, token in tokens]
        if kind == "create":
            return [raw_request("POST", self.draft_path(), t, self.new_note(i, o)) for i, (o, t) in enumerate(tokens * 3)]
        if kind == "patch":
            picks = [(token, rng.choice(self.notes[owner])) for owner, token in tokens for _ in range(10)]
            rng.shuffle(picks)
            return [
                raw_request("PATCH", self.note_path(note_id), token, {"stars": i % 6, "title": f"Patched {i}"})
                for i, (token, note_id) in enumerate(picks)
            ]
        if kind == "login":
            return [self.login_request(i) for i in range(OWNERS)]
        raise ValueError(kind)

    def new_note(self, number, owner):
        return note(number)


class Manybase(Target):
    name = "manybase"

    def __init__(self, folder, binary):
        super().__init__(folder)
        self.binary = binary

    def command(self):
        return [self.binary, "serve"]

    def environment(self):
        return {
            "SERVICE_LISTEN": f"127.0.0.1:{self.port}",
            "SERVICE_DATA_DIR": str(self.folder / "data"),
            "SERVICE_TRUSTED_PROXIES": "127.0.0.0/8",
            "SERVICE_LOG": "json",
        }

    def ready_path(self):
        return "/api/v1/health"

    def register_first(self, person):
        """Registers the first user, with the set-up code, which trusted proxies make necessary."""
        file = self.folder / "data" / "setup-code"
        code = {"setupCode": file.read_text().strip()} if file.exists() else {}
        self.client.call("POST", "/api/v1/control/auth/register", {**person, **code})

    def create_project(self):
        """Registers the first user, and makes a project: `project`, its id, and `admin`, a project token."""
        call = self.client.call
        person = {"email": "bench@example.com", "password": PASSWORD}
        self.register_first(person)
        control = call("POST", "/api/v1/control/auth/login", person)["accessToken"]
        self.project = call("POST", "/api/v1/control/projects", {"name": "Bench"}, control)["project"]["id"]
        self.admin = call("POST", f"/api/v1/control/projects/{self.project}/token", {}, control)["token"]

    def people(self, count):
        """Registers that many end users; returns their (id, token)."""
        path = f"/api/v1/auth/{{}}?project={self.project}"

        def one(number):
            body = {"email": f"p{number}@example.com", "password": PASSWORD}
            self.client.call("POST", path.format("register"), body, headers={"x-forwarded-for": address(number)})
            headers = {"x-forwarded-for": address(100_000 + number)}
            session = self.client.call("POST", path.format("login"), body, headers=headers)
            return session["user"]["id"], session["accessToken"]

        return in_parallel(one, range(count))

    def prepare(self):
        self.create_project()
        call, admin = self.client.call, self.admin
        own = {"filter": {"ownerId": "$auth.uid"}}
        rules = {"read": own, "list": own, "create": {}, "update": own, "delete": own}
        for name in ("notes", "drafts"):
            call("POST", "/api/v1/admin/collections", {"name": name}, admin)
            call("PUT", f"/api/v1/admin/collections/{name}/policy", rules, admin)
            call("POST", f"/api/v1/admin/collections/{name}/indexes", {"keys": {"ownerId": 1}}, admin)

        def register(i):
            body = {"email": f"p{i}@example.com", "password": PASSWORD}
            call("POST", f"/api/v1/auth/register?project={self.project}", body, headers={"x-forwarded-for": address(i)})

        def login(i):
            person_number = i % OWNERS
            body = {"email": f"p{person_number}@example.com", "password": PASSWORD}
            headers = {"x-forwarded-for": address(100_000 + i)}
            return (
                person_number,
                call("POST", f"/api/v1/auth/login?project={self.project}", body, headers=headers)["accessToken"],
            )

        def create(i):
            owner, token = self.tokens[i % OWNERS]
            return owner, call("POST", self.create_path(), note(i), token)["document"]["id"]

        in_parallel(register, range(OWNERS))
        self.tokens = in_parallel(login, range(OWNERS * SESSIONS))
        self.notes = {i: [] for i in range(OWNERS)}
        for owner, note_id in in_parallel(create, range(DOCUMENTS)):
            self.notes[owner].append(note_id)

    def note_path(self, note_id):
        return f"/api/v1/notes/{note_id}"

    def list_path(self):
        return "/api/v1/notes?limit=20"

    def create_path(self):
        return "/api/v1/notes"

    def draft_path(self):
        return "/api/v1/drafts"

    def login_request(self, i):
        body = {"email": f"p{i}@example.com", "password": PASSWORD}
        headers = {"x-forwarded-for": address(200_000 + random.randrange(1 << 22))}
        return raw_request("POST", f"/api/v1/auth/login?project={self.project}", None, body, headers)


class PocketBase(Target):
    name = "pocketbase"

    def __init__(self, folder, binary):
        super().__init__(folder)
        self.binary = binary

    def command(self):
        return [self.binary, "serve", f"--http=127.0.0.1:{self.port}", f"--dir={self.folder / 'pb_data'}"]

    def ready_path(self):
        return "/api/health"

    def prepare(self):
        subprocess.run(
            [self.binary, "superuser", "upsert", "bench@example.com", PASSWORD, f"--dir={self.folder / 'pb_data'}"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        call = self.client.call
        login_path = "/api/collections/{}/auth-with-password"
        person = {"identity": "bench@example.com", "password": PASSWORD}
        root = call("POST", login_path.format("_superusers"), person)["token"]
        users = call("GET", "/api/collections/users", token=root)["id"]
        own = "owner = @request.auth.id"
        for name in ("notes", "drafts"):
            call(
                "POST",
                "/api/collections",
                {
                    "name": name,
                    "type": "base",
                    "listRule": own,
                    "viewRule": own,
                    "createRule": own,
                    "updateRule": own,
                    "deleteRule": own,
                    "fields": [
                        {"name": "title", "type": "text"},
                        {"name": "body", "type": "text"},
                        {"name": "stars", "type": "number"},
                        {"name": "done", "type": "bool"},
                        {"name": "tags", "type": "json"},
                        {"name": "owner", "type": "relation", "collectionId": users, "maxSelect": 1},
                    ],
                    "indexes": [f"CREATE INDEX idx_{name}_owner ON {name} (owner)"],
                },
                root,
            )

        def register(i):
            body = {"email": f"p{i}@example.com", "password": PASSWORD, "passwordConfirm": PASSWORD}
            return call("POST", "/api/collections/users/records", body, root)["id"]

        def login(i):
            body = {"identity": f"p{i % OWNERS}@example.com", "password": PASSWORD}
            return i % OWNERS, call("POST", login_path.format("users"), body)["token"]

        def create(i):
            owner, token = self.tokens[i % OWNERS]
            return owner, call("POST", self.create_path(), self.new_note(i, owner), token)["id"]

        self.people = in_parallel(register, range(OWNERS))
        self.tokens = in_parallel(login, range(OWNERS * SESSIONS))
        self.notes = {i: [] for i in range(OWNERS)}
        for owner, note_id in in_parallel(create, range(DOCUMENTS)):
            self.notes[owner].append(note_id)

    def new_note(self, number, owner):
        return {**note(number), "owner": self.people[owner]}

    def note_path(self, note_id):
        return f"/api/collections/notes/records/{note_id}"

    def list_path(self):
        return "/api/collections/notes/records?perPage=20&skipTotal=1"

    def create_path(self):
        return "/api/collections/notes/records"

    def draft_path(self):
        return "/api/collections/drafts/records"

    def login_request(self, i):
        body = {"identity": f"p{i}@example.com", "password": PASSWORD}
        return raw_request("POST", "/api/collections/users/auth-with-password", None, body)


def get_pocketbase(folder):
    """Builds PocketBase's stock program from the Go module proxy; returns the path of the binary."""
    binary = pathlib.Path(folder) / "base"
    if not binary.exists():
        if shutil.which("go") is None:
            raise RuntimeError("Go is needed to build PocketBase")
        environment = {**os.environ, "GOBIN": str(folder), "GOTOOLCHAIN": "local", "CGO_ENABLED": "0"}
        package = "github.com/pocketbase/pocketbase/examples/base@" + POCKETBASE
        subprocess.run(["go", "install", package], check=True, env=environment)
    return str(binary)


POCKETBASE = "v0.36.8"


def manybase_commits(folder):
    """Returns the synced batches and their writes, from the line that the server logs when its store closes."""
    commits = writes = 0
    for line in open(pathlib.Path(folder) / "log", errors="replace"):
        if '"commits"' in line:
            entry = json.loads(line)
            commits, writes = entry["commits"], entry["writes"]
    return commits, writes
