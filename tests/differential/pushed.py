#!/usr/bin/env python3
"""Cross-checks what the engine on MongoDB sends of random filters, on a server that others wrote.

    tests/differential/pushed.py --server mongo-java-server|ferretdb|secantusdb [--filters N] [--seed S] [--driver PROGRAM] [--round N]

Documents are put there as the engine stores them, and filters as it sends them. What is found must be what the embedded
engine finds, and may be more where the engine evaluates the rest itself. arbiter.py says, from the manual alone, what the
filter that was sent must find; so it decides which side is wrong. A document that the server finds or misses
otherwise is traced to the smallest condition on which both disagree; known_pushed.py has a list of such conditions for
each server, each with an example.

The run fails at a disagreement that is in no list, at one of the engine with the manual, and at an example that the
server evaluates as the manual says. Exit code: 0 or 1. The last line is the summary.
"""

import argparse
import collections
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import arbiter
import pymongo
from engines import ROOT, Ours
from generate import Generator
from known_pushed import LISTS, Condition
from others import SERVERS
from pymongo.errors import PyMongoError

DOCUMENTS = 24
FILTERS = 60
MAX_SHOWN = 20


class Asked:
    """The server, with one collection of documents."""

    def __init__(self, port: int):
        client = pymongo.MongoClient("127.0.0.1", port, document_class=dict, tz_aware=True, retryWrites=False)
        self.collection = client["differential"]["pushed"]

    def begin(self, documents: list[dict]) -> None:
        self.collection.delete_many({})
        self.collection.insert_many(documents)

    def find(self, filter: dict) -> set[str] | str:
        """Returns the ids of what it finds, or its error."""
        try:
            return {row["_id"] for row in self.collection.find(filter, {"_id": 1})}
        except PyMongoError as error:
            return str(error)

    def matches(self, filter: dict, document: dict) -> bool | str:
        found = self.find({"$and": [{"_id": document["_id"]}, filter]})
        return found if isinstance(found, str) else document["_id"] in found


def parts_of(filter: dict) -> Iterator[dict]:
    """Yields the filters that `filter` consists of, without what joins or negates them."""
    if len(filter) > 1:
        yield from ({key: value} for key, value in filter.items())
        return
    for key, value in filter.items():
        if key in ("$and", "$or", "$nor"):
            yield from value
        elif isinstance(value, dict) and next(iter(value), "").startswith("$"):
            yield from ({key: operators} for operators in operator_parts(value))


def operator_parts(operators: dict) -> Iterator[dict]:
    names = [name for name in operators if name != "$options"]
    if len(names) > 1:
        for name in names:
            options = {"$options": operators["$options"]} if name == "$regex" and "$options" in operators else {}
            yield {name: operators[name], **options}
        return
    operand = operators[names[0]]
    if names[0] == "$not":
        yield operand
    elif names[0] in ("$ne", "$nin"):
        yield {"$eq" if names[0] == "$ne" else "$in": operand}
    elif names[0] in ("$in", "$all") and len(operand) > 1:
        yield from ({names[0]: [item]} for item in operand)


def smallest(server: Asked, filter: dict, document: dict) -> Condition:
    """Returns the smallest part of `filter` on which the server and the manual disagree, itself if of no part."""
    for part in parts_of(filter):
        if server.matches(part, document) != arbiter.matches(part, document):
            return smallest(server, part, document)
    return Condition(filter, document, server.matches(filter, document), arbiter.matches(filter, document))


class Check:
    def __init__(self, options: argparse.Namespace, server: Asked):
        self.seed, self.server, self.list = options.seed, server, LISTS[options.server]
        self.ours = Ours(options.driver, None, "pushed")
        self.ours.ask({"begin": {"documents": [], "indexes": []}})
        self.filters = 0
        self.counts: collections.Counter = collections.Counter()
        self.faults = 0

    def examples(self) -> None:
        """Checks that the server still evaluates each example of its list otherwise than the manual says."""
        for known in self.list.conditions:
            document = {"_id": "d00", **known.document}
            self.server.begin([document])
            condition = smallest(self.server, known.filter, document)
            if condition.answer == condition.expected:
                self.fault(f"listed, but no longer so: {known.name}\n  rule      {known.rule}\n{condition}")
            elif (reason := self.list.reason(condition)) != known.name:
                self.fault(f"the example of {known.name!r} is explained by {reason!r}\n{condition}")

    def round(self, number: int) -> None:
        make = Generator(f"{self.seed}:{number}")
        documents = [self.list.document(make.document(i)) for i in range(DOCUMENTS)]
        filters = [self.list.filter(self.filter(make)) for _ in range(FILTERS)]
        self.ours.ask({"begin": {"documents": documents, "indexes": []}})
        stored = self.ours.ask({"store": documents})["stored"]
        self.server.begin(stored)
        found = self.ours.ask({"find": [{"filter": filter} for filter in filters]})["results"]
        pushed = self.ours.ask({"push": filters})["results"]
        for filter, mine, sent in zip(filters, found, pushed, strict=True):
            if "filterError" not in sent:
                self.filters += 1
                self.compare(number, filter, set(mine["plain"]), sent, stored)

    @staticmethod
    def filter(make: Generator) -> dict:
        """Returns a filter as of run.py, at times with a condition on the id, which is stored under another name."""
        filter = make.filter()
        if not make.chance(0.15):
            return filter
        ids = [f"d{make.random.randrange(DOCUMENTS):02}" for _ in range(3)]
        operators = [{"$gt": ids[0]}, {"$lte": ids[0]}, {"$in": ids}, {"$ne": ids[0]}, {"$regex": "^d0"}, {"$exists": True}]
        return {make.pick(["$and", "$or"]): [{"id": make.pick(operators)}, filter]}

    def compare(self, number: int, filter: dict, mine: set[str], sent: dict, stored: list[dict]) -> None:
        exact = sent["exact"]
        expected = {document["_id"] for document in stored if arbiter.matches(sent["filter"], document)}
        if not (mine == expected if exact else mine <= expected):
            self.fault(
                f"round {number}: the engine and the manual\n  filter  {filter}\n  sent    {sent}\n"
                f"  ours    {sorted(mine)}\n  manual  {sorted(expected)}"
            )
        self.counts["whole filters" if exact else "parts of filters"] += 1
        found = self.server.find(sent["filter"])
        if not isinstance(found, str) and (found == mine if exact else found >= mine):
            return
        for document in stored:
            if isinstance(found, str) or document["_id"] in (found ^ mine if exact else mine - found):
                condition = smallest(self.server, sent["filter"], document)
                if condition.answer == condition.expected:
                    continue  # an error that another document causes
                self.disagrees(number, condition)
                if isinstance(found, str):
                    return
        if isinstance(found, str):
            self.fault(f"round {number}: an error of no document alone\n  sent    {sent}\n  error   {found}")

    def disagrees(self, number: int, condition: Condition) -> None:
        reason = self.list.reason(condition)
        if reason is None:
            self.fault(f"round {number}: the server and the manual\n{condition}")
        else:
            self.counts[f"known: {reason}"] += 1

    def fault(self, text: str) -> None:
        self.faults += 1
        if self.faults <= MAX_SHOWN:
            print(text, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", choices=SERVERS, required=True)
    parser.add_argument("--filters", type=int, default=10_000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--round", type=int, help="this one only")
    parser.add_argument("--driver", type=Path, default=ROOT / "build" / "release" / "bin" / "differential_driver")
    options = parser.parse_args()
    # SIGTERM exits normally, so that the servers end and their folders are removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    server = SERVERS[options.server]()
    began = time.monotonic()
    try:
        check = Check(options, Asked(server.port))
        try:
            check.examples()
            number = options.round or 0
            while check.filters < options.filters:
                check.round(number)
                number += 1
                if options.round is not None:
                    break
        finally:
            check.ours.close()
    finally:
        server.close()
    for name, count in sorted(check.counts.items()):
        print(f"{count:>9}  {name}")
    print(
        f"{check.filters} filters on {options.server}, {check.faults} unexplained differences, {len(check.list.conditions)} "
        f"known ones, seed {options.seed}, {time.monotonic() - began:.0f} s",
        flush=True,
    )
    return 1 if check.faults else 0


if __name__ == "__main__":
    sys.exit(main())
