"""One request to both sides with its two results, and the smallest request of its kind whose results still differ."""

import datetime
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from bson import Decimal128, Int64
from engines import Ours, Theirs


@dataclass
class Case:
    # "match": the matching documents; "order": of a sort; "refusal": of a query; "update": the document after it
    kind: str
    documents: list[dict]
    request: dict
    ours: object = field(default=None, compare=False)
    theirs: object = field(default=None, compare=False)
    page: dict | None = None  # for "order": the query that was sent, with skip and limit

    def differs(self) -> bool:
        if isinstance(self.ours, str) or isinstance(self.theirs, str):
            return isinstance(self.ours, str) != isinstance(self.theirs, str)
        return plain(self.ours) != plain(self.theirs)

    def __str__(self) -> str:
        lines = [f"  document  {document}" for document in self.documents]
        lines += [f"  {self.kind:<9} {self.request}", f"  ours      {self.ours}", f"  theirs    {self.theirs}"]
        return "\n".join(lines)


def outcome(result: dict) -> list[str] | str:
    """Returns the ids that the driver found without indexes, or its error."""
    return result.get("plain", result.get("plainError", result.get("filterError")))


def plain(value):
    """Returns the compared form: types count, the order of fields does not (known.py, FIELD_ORDER)."""
    if isinstance(value, dict):
        return ("object", tuple(sorted((key, plain(item)) for key, item in value.items())))
    if isinstance(value, list):
        return ("array", tuple(plain(item) for item in value))
    if isinstance(value, Decimal128):
        number = value.to_decimal()
        return ("decimal", str(number.normalize() if number else 0))
    if isinstance(value, bool) or value is None:
        return ("other", repr(value))
    if isinstance(value, datetime.datetime):
        return ("date", value.timestamp())
    if isinstance(value, Int64):
        return ("long", str(int(value)))
    if isinstance(value, float):
        return ("double", repr(value + 0.0))
    return (type(value).__name__, repr(value))


class Comparison:
    """Both sides with a few documents, for one case after another."""

    def __init__(self, ours: Ours, theirs: Theirs):
        self.ours = ours
        self.theirs = theirs
        self.ours.ask({"begin": {"documents": [], "indexes": []}})
        self.count = 0

    def ask(self, case: Case) -> Case:
        documents = [{**document, "id": f"s{i:02}"} for i, document in enumerate(case.documents)]
        case = replace(case, documents=documents, page=None)
        self.ours.ask({"put": documents})
        self.theirs.begin(documents)
        self.count += 1
        if case.kind == "update":
            return self._update(case)
        ids = {"id": {"$in": [document["id"] for document in documents]}}
        mine = self.ours.ask({"find": [{**case.request, "filter": {"$and": [ids, case.request["filter"]]}}]})
        mine = mine["results"][0]
        other = self.theirs.find(case.request)
        return replace(case, ours=outcome(mine), theirs=other.get("error", other.get("ids")))

    def _update(self, case: Case) -> Case:
        before = {**case.documents[0], "id": "s00"}
        mine = self.ours.ask({"update": [{**case.request, "id": "s00"}]})["results"][0]
        error = self.theirs.update([{**case.request, "id": "s00"}], {"s00": before})[0]
        after = before if "unmatched" in mine else mine.get("document")
        return replace(
            case, ours=mine.get("error", after), theirs=error if error else self.theirs.documents().get("s00")
        )

    def shrink(self, case: Case) -> Case:
        """Returns the smallest case derived from `case` that still differs in the same way, by leaving parts out."""

        def way(tried: Case):
            return (refusal(tried.ours), refusal(tried.theirs))

        case = self.ask(case)
        if not case.differs():
            return case
        limit = self.count + 600
        found = True
        while found and self.count < limit:
            found = False
            for tried in smaller_cases(case):
                tried = self.ask(tried)
                if tried.differs() and way(tried) == way(case):
                    case, found = tried, True
                    break
                if self.count >= limit:
                    break
        return case


def refusal(answer) -> str | None:
    """Returns the kind of an error, without the names in it."""
    return re.sub(r'".*?"|/\S+|\d+', "", answer)[:40] if isinstance(answer, str) else None


def smaller_cases(case: Case) -> Iterator[Case]:
    if case.kind != "update":
        for i in range(len(case.documents)):
            yield replace(case, documents=case.documents[:i] + case.documents[i + 1 :])
    for request in smaller(case.request):
        if case.kind == "update" and not request.get("update"):
            continue
        if case.kind != "update" and ("filter" not in request or ("sort" in case.request and not request.get("sort"))):
            continue
        yield replace(case, request=request)
    for i, document in enumerate(case.documents):
        rest = {key: value for key, value in document.items() if key != "id"}
        for made in ({}, *smaller(rest)):
            documents = list(case.documents)
            documents[i] = {"id": document["id"], **made}
            yield replace(case, documents=documents)


def smaller(value) -> Iterator:
    """Yields `value` without one of its parts. A value that is not empty stays so: an empty condition means something
    else."""
    if isinstance(value, dict):
        for key in value if len(value) > 1 else ():
            yield {other: item for other, item in value.items() if other != key}
        for key, item in value.items():
            for made in smaller(item):
                yield {**value, key: made}
    elif isinstance(value, list):
        for i in range(len(value)):
            yield value[:i] + value[i + 1 :]
        for i, item in enumerate(value):
            for made in smaller(item):
                yield [*value[:i], made, *value[i + 1 :]]
    elif value not in (None, 1, "", True, False) and not isinstance(value, (Decimal128, float, Int64)):
        yield 1
