"""Files over kills: each is the old or the new one, complete; and nothing unreferenced remains after a run of the
sweeper."""

import hashlib
import http.client

from kill.ledger import Check, Killed, States
from support.bucket import blobs
from support.waiting import NotInTime, wait_until


class Files(Check):
    """Each writer uploads, replaces and deletes files of its own, with sizes below and above that of the buffer."""

    name = "files"
    bucket = "killed"
    threads = 3
    each = 6  # files per writer
    sizes = (0, 17, 4_000, 262_144, 300_000, 1_500_000)
    patience = 30

    def __init__(self):
        self.ledger = States()
        self.serial = 0

    def prepare(self, world):
        connection = world.connect()
        status, answer = connection.call("POST", "/admin/storage/buckets", {"name": self.bucket})
        connection.close()
        if status != 201:
            raise AssertionError(f"the bucket could not be created: {status} {answer}")

    def writers(self, world):
        return [self._writer(world, number) for number in range(self.threads)]

    def _writer(self, world, number: int):
        def write(connection, chance):
            path = f"w{number}/f{chance.randrange(self.each)}"
            if self.ledger.current(path) is not None and chance.random() < 0.15:
                self.ledger.begin(path, None)
                status, answer = self._send(connection, "DELETE", path)
                wanted = 204
            else:
                content = chance.randbytes(chance.choice(self.sizes))
                self.ledger.begin(path, hashlib.sha256(content).hexdigest())
                status, answer = self._send(connection, "PUT", path, content)
                wanted = 201
            if status != wanted:
                self.ledger.refuse(path)
                raise AssertionError(f"{path} gave {status}: {answer[:500]!r}")
            self.ledger.acknowledge(path)
            world.count()

        return write

    def _send(self, connection, method: str, path: str, content: bytes | None = None) -> tuple[int, bytes]:
        headers = {"authorization": f"Bearer {connection.token}"}
        try:
            connection.http.request(method, f"/api/v1/storage/{self.bucket}/{path}", content, headers)
            response = connection.http.getresponse()
            return response.status, response.read()
        except (OSError, http.client.HTTPException) as broken:
            raise Killed from broken

    def verify(self, world):
        connection = world.connect()
        status, answer = connection.call("GET", f"/storage/{self.bucket}?limit=1000")
        if status != 200:
            return [f"the list gave {status}: {answer}"]
        found, problems = {}, []
        for file in answer["files"]:
            status, content = self._send(connection, "GET", file["path"])
            if status != 200 or len(content) != file["size"]:
                problems.append(f"{file['path']} gave {status} and {len(content)} bytes of {file['size']}")
            found[file["path"]] = hashlib.sha256(content).hexdigest()
        connection.close()
        problems += self.ledger.compare(found, "the file")
        try:
            wait_until(lambda: len(blobs(world.data)) == len(found), self.patience)
        except NotInTime:
            problems.append(f"{len(blobs(world.data))} blobs are kept for {len(found)} files")
        return problems
