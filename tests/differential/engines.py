"""The two sides: an engine of ours by its driver, and the independent server by a MongoDB driver."""

import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

import bson
import pymongo
from pymongo.errors import AutoReconnect, BulkWriteError, PyMongoError

ROOT = Path(__file__).resolve().parent.parent.parent
JARS = ROOT / "build" / "mongo-stand-in"
SERVER = Path(__file__).resolve().parent / "server"
OPTIONS = bson.CodecOptions(tz_aware=True)


class Ours:
    """An engine of ours: calls of driver.cc with {begin}, {put}, {find}, {update}."""

    def __init__(self, driver: Path, mongo: str | None, name: str):
        """`mongo`: the address of a server for the engine on MongoDB; None: the embedded one. `name`: its database there."""
        # In memory where possible, since durability is not compared.
        memory = Path("/dev/shm")
        self.folder = tempfile.mkdtemp(prefix="manybase-differential-", dir=memory if memory.is_dir() else None)
        place = f"{mongo}/{name}?replicaSet=secantus" if mongo else self.folder
        self.process = subprocess.Popen([driver, place], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, message: dict) -> dict:
        self.process.stdin.write(bson.encode(message))
        self.process.stdin.flush()
        head = self.process.stdout.read(4)
        if len(head) < 4:
            raise RuntimeError(f"the driver ended with {self.process.wait()}")
        return bson.decode(head + self.process.stdout.read(struct.unpack("<i", head)[0] - 4), OPTIONS)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Server:
    """The independent server, shared by all processes."""

    def __init__(self):
        if not list(JARS.glob("mongo-java-server-core-*.jar")):
            command = ["mvn", "--quiet", "--batch-mode", "--file", SERVER / "pom.xml", "dependency:copy-dependencies"]
            subprocess.run([*command, f"-DoutputDirectory={JARS}"], check=True, stdin=subprocess.DEVNULL)
        self.process = subprocess.Popen(
            ["java", "-Xmx512m", "-cp", f"{JARS}/*", SERVER / "MongoStandIn.java"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.port = int(self.process.stdout.readline())

    def close(self) -> None:
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


class Theirs:
    def __init__(self, port: int, name: str):
        self.client = pymongo.MongoClient("127.0.0.1", port, document_class=dict, tz_aware=True, retryWrites=False)
        self.collection = self.client["differential"][name]

    def begin(self, documents: list[dict]) -> None:
        self.collection.delete_many({})
        if documents:
            self.collection.insert_many([theirs(document) for document in documents])

    def put(self, document: dict) -> None:
        self.collection.replace_one({"_id": document["id"]}, theirs(document), upsert=True)

    def find(self, query: dict) -> dict:
        """Returns {error} or {ids}."""
        sort = {("_id" if path == "id" else path): way for path, way in query.get("sort", {"id": 1}).items()}
        try:
            found = self.collection.find(query["filter"], {"_id": 1}, sort=list(sort.items()))
            return {"ids": [row["_id"] for row in found.skip(query.get("skip", 0)).limit(query.get("limit", 0))]}
        except PyMongoError as error:
            return {"error": str(error)}

    def documents(self) -> dict[str, dict]:
        return {row["_id"]: ours(row) for row in self.collection.find({})}

    def update(self, updates: list[dict], before: dict[str, dict]) -> list[str | None]:
        """Returns the error of each update of the documents in `before`; documents() returns the results."""
        operations = [
            pymongo.UpdateOne(
                {"_id": update["id"], **update.get("filter", {})},
                update["update"],
                array_filters=update.get("arrayFilters"),
            )
            for update in updates
        ]
        errors: list[str | None] = [None] * len(updates)
        try:
            self.collection.bulk_write(operations, ordered=False)
        except BulkWriteError as error:
            for entry in error.details["writeErrors"]:
                errors[entry["index"]] = entry["errmsg"]
        except (AutoReconnect, PyMongoError) as error:
            if len(updates) == 1:
                return [str(error)]
            # One update failed and ended the whole list: run the updates again, one by one.
            for document in before.values():
                self.put(document)
            return [self.update([update], before)[0] for update in updates]
        return errors


def theirs(document: dict) -> dict:
    return {"_id": document["id"], **{key: value for key, value in document.items() if key != "id"}}


def ours(document: dict) -> dict:
    return {"id": document["_id"], **{key: value for key, value in document.items() if key != "_id"}}
