#!/usr/bin/env python3
"""Sends random documents, filters, updates and indexes to the embedded engine, or with --mongo to the one on MongoDB,
without and with indexes, and to an independent implementation of MongoDB's semantics.

    tests/differential/run.py [--mongo] [--operations N] [--seconds N] [--seed S] [--jobs N] [--driver PROGRAM] [--round N]

Round n of a seed is always the same. A difference that known.py does not explain is reduced, printed and makes the run
fail. Exit code: 0, or 1 if there was one. The last line is the summary.
"""

import argparse
import collections
import itertools
import multiprocessing
import signal
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import bson
import known
from cases import Case, Comparison, outcome
from engines import ROOT, Ours, Server, Theirs
from generate import Generator
from support import mongo_server

DOCUMENTS = 24
QUERIES = 60
MAX_SHOWN = 20


class Round:
    """One collection: documents, queries, updates, queries again."""

    def __init__(self, worker: "Worker", number: int):
        self.worker = worker
        self.ours, self.theirs = worker.ours, worker.theirs
        self.make = Generator(f"{worker.seed}:{number}")
        self.number = number
        self.documents = {document["id"]: document for document in map(self.make.document, range(DOCUMENTS))}

    def run(self) -> None:
        self.indexes = [self.make.index() for _ in range(self.make.random.randrange(4))]
        self.ours.ask({"begin": {"documents": list(self.documents.values()), "indexes": self.indexes}})
        self.theirs.begin(list(self.documents.values()))
        self.queries()
        for _ in range(3):
            self.updates()
        self.queries()

    def queries(self) -> None:
        queries = [self.make.query() for _ in range(QUERIES)]
        for query, mine in zip(queries, self.ours.ask({"find": queries})["results"], strict=True):
            self.worker.operations += 1
            other = self.theirs.find(query)
            if "filterError" not in mine:
                self.check_indexes(query, mine)
            ids, others = outcome(mine), other.get("ids", other.get("error"))
            if isinstance(ids, str) and isinstance(others, str):
                self.worker.counts["both refuse"] += 1
            elif ids != others:
                self.differs(query, ids, others)

    def check_indexes(self, query: dict, mine: dict) -> None:
        whole = "limit" not in query
        if mine.get("index"):
            self.worker.counts["by an index"] += 1
        # In the order of an index, a page may end before the document by which a sort is refused.
        ended_before = "plainError" in mine and "indexed" in mine and not whole
        apart = not ended_before and any(
            mine.get(f"plain{part}") != mine.get(f"indexed{part}") for part in ("", "Error", "Count")
        )
        if apart and (name := known.index_reason(self.indexes, query, list(self.documents.values()), mine)):
            self.worker.counts[f"known: {name}"] += 1
        elif apart:
            self.worker.fault(f"round {self.number}: with and without indexes\n  {query}\n  {mine}")
        elif whole and "plain" in mine and mine["plainCount"] != len(mine["plain"]):
            self.worker.fault(f"round {self.number}: a count\n  {query}\n  {mine}")

    def differs(self, query: dict, ids, others) -> None:
        request = {"filter": query["filter"]}
        documents = list(self.documents.values())
        if isinstance(ids, str):
            if "sort" in query:
                request["sort"] = query["sort"]
            return self.worker.examine(self.number, Case("refusal", documents, request, ids, others))
        if isinstance(others, str):
            return self.worker.examine(self.number, Case("match", documents, request, ids, others))
        whole = self.ours.ask({"find": [request]})["results"][0]["plain"]
        matched = self.theirs.find(request).get("ids", [])
        apart = sorted(set(whole) ^ set(matched))
        for id in apart:
            mine = ["s00"] if id in whole else []
            other = ["s00"] if id in matched else []
            self.worker.examine(self.number, Case("match", [self.documents[id]], request, mine, other))
        if not apart:
            request = {"filter": {}, "sort": query["sort"]}
            matched = [self.documents[id] for id in whole]
            self.worker.examine(self.number, Case("order", matched, request, ids, others, page=query))

    def updates(self) -> None:
        updates = [{"id": id, **self.make.update()} for id in self.documents]
        errors = self.theirs.update(updates, self.documents)
        after = self.theirs.documents()
        again = []
        for update, mine, error in zip(updates, self.ours.ask({"update": updates})["results"], errors, strict=True):
            self.worker.operations += 1
            id = update["id"]
            before = self.documents[id]
            became = mine.get("document", before)
            case = Case("update", [before], {key: part for key, part in update.items() if key != "id"})
            case.ours = mine.get("error", became)
            case.theirs = error if error else after.get(id)
            self.documents[id] = became
            if bson.encode(became) != bson.encode(after.get(id, {})):
                again.append(became)
            if case.differs():
                self.worker.examine(self.number, case)
            elif isinstance(case.ours, str):
                self.worker.counts["both refuse"] += 1
        for document in again:
            self.theirs.put(document)


class Worker:
    def __init__(self, options: argparse.Namespace, port: int, number: int):
        self.seed = options.seed
        # One for each worker, as each takes a core of its own.
        mongo = f"mongodb://127.0.0.1:{mongo_server.shared().port}" if options.mongo else None
        self.ours = Ours(options.driver, mongo, f"worker{number}")
        self.scratch = Ours(options.driver, mongo, f"scratch{number}")
        self.theirs = Theirs(port, f"worker{number}")
        self.shrinker = Comparison(self.scratch, Theirs(port, f"scratch{number}"))
        self.operations = 0
        self.counts: collections.Counter = collections.Counter()
        self.faults: list[str] = []

    def examine(self, number: int, case: Case) -> None:
        reason = known.reason(case)
        if reason is None:
            given, case = case, self.shrinker.shrink(case)
            if not case.differs():
                return self.fault(f"round {number}: differs only together with the other documents\n{given}")
            reason = known.reason(case)
        if reason is None:
            self.fault(f"round {number}:\n{case}")
        else:
            self.counts[f"known: {reason}"] += 1

    def fault(self, text: str) -> None:
        self.counts["FAULT"] += 1
        if len(self.faults) < MAX_SHOWN:
            self.faults.append(text)
            print(text, flush=True)

    def close(self) -> None:
        self.ours.close()
        self.scratch.close()
        mongo_server.end_shared()


def work(options: argparse.Namespace, port: int, number: int, results: multiprocessing.Queue) -> None:
    worker, round_number = None, options.round
    try:
        worker = Worker(options, port, number)
        end = time.monotonic() + options.seconds
        rounds = [options.round] if options.round is not None else itertools.count(number, options.jobs)
        for round_number in rounds:
            if worker.operations >= options.operations / options.jobs or time.monotonic() > end:
                break
            Round(worker, round_number).run()
        results.put((worker.operations, dict(worker.counts)))
    except Exception:  # reported to the parent, which would otherwise wait
        counts = collections.Counter(worker.counts if worker else {}, FAULT=1)
        results.put((worker.operations if worker else 0, dict(counts)))
        print(f"worker {number}, round {round_number}:\n{traceback.format_exc()}", flush=True)
    finally:
        if worker:
            worker.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mongo", action="store_true", help="the engine on MongoDB, with the server of the tests")
    parser.add_argument("--operations", type=int, default=20_000, help="queries and updates, all together (20000)")
    parser.add_argument("--seconds", type=float, default=86_400, help="at most this long")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--round", type=int, help="this one only")
    parser.add_argument("--driver", type=Path, default=ROOT / "build" / "release" / "bin" / "differential_driver")
    options = parser.parse_args()
    known.on_mongo = options.mongo
    options.jobs = 1 if options.round is not None else options.jobs

    # SIGTERM exits normally, so that the folders are removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    began = time.monotonic()
    server = Server()
    results: multiprocessing.Queue = multiprocessing.Queue()
    workers = [
        multiprocessing.Process(target=work, args=(options, server.port, number, results))
        for number in range(options.jobs)
    ]
    try:
        for process in workers:
            process.start()
        outcomes = [results.get() for _ in workers]
        for process in workers:
            process.join()
    finally:
        server.close()
    operations = sum(outcome[0] for outcome in outcomes)
    counts = sum((collections.Counter(outcome[1]) for outcome in outcomes), collections.Counter())
    for name, count in sorted(counts.items()):
        print(f"{count:>9}  {name}")
    faults = counts["FAULT"]
    seconds = time.monotonic() - began
    print(
        f"{operations} operations, {faults} unexplained differences, seed {options.seed}, {seconds:.0f} s", flush=True
    )
    return 1 if faults or not operations else 0


if __name__ == "__main__":
    sys.exit(main())
