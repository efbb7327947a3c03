"""Random documents, filters, updates and indexes. All of them come from one random.Random, so a seed reproduces
them."""

import datetime
from random import Random

from bson import Decimal128, Int64, ObjectId

FIELDS = ["a", "b", "c"]
WORDS = ["", "a", "ab", "b", "B", "abc", "é", "a\nb"]
NUMBERS = [
    *[0, 1, 2, 3, -1, 5, 2147483647],
    *[Int64(0), Int64(1), Int64(2), Int64(2147483648), Int64(-4), Int64(9007199254740993), Int64(2**63 - 1)],
    *[0.0, 1.0, 1.5, 2.5, -1.5, 0.1, 1e20, 9007199254740992.0],
    *[Decimal128(text) for text in ("0", "1", "1.0", "1.5", "2", "-3", "0.1", "9007199254740993")],
]
DATES = [datetime.datetime(2026, 1, day, tzinfo=datetime.timezone.utc) for day in (1, 2, 31)]
OBJECT_IDS = [ObjectId("0123456789abcdef01234567"), ObjectId("f123456789abcdef01234567")]
BYTES = [b"", b"\x01", b"\x01\x02"]
TYPES = ["double", "string", "object", "array", "binData", "objectId", "bool", "date", "null", "int", "long", "decimal"]
PATTERNS = ["a", "^a", "b$", "^$", ".", "^a.b", "B", "[ab]+c", "é"]


class Generator:
    def __init__(self, seed: str):
        self.random = Random(seed)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def pick(self, choices):
        return self.random.choice(choices)

    # ---- values

    def scalar(self):
        kind = self.random.random()
        if kind < 0.45:
            return self.pick(NUMBERS)
        if kind < 0.65:
            return self.pick(WORDS)
        if kind < 0.75:
            return None
        if kind < 0.85:
            return self.chance(0.5)
        return self.pick(self.pick([DATES, OBJECT_IDS, BYTES]))

    def value(self, depth: int = 2):
        kind = self.random.random()
        if depth == 0 or kind < 0.55:
            return self.scalar()
        if kind < 0.8:
            return [self.value(depth - 1) for _ in range(self.random.randrange(4))]
        return self.object(depth - 1)

    def object(self, depth: int) -> dict:
        names = self.random.sample([*FIELDS, "0"], self.random.randrange(4))
        return {name: self.value(depth) for name in names}

    def document(self, number: int) -> dict:
        names = self.random.sample(FIELDS, self.random.randrange(4))
        return {"id": f"d{number:02}", **{name: self.value(3) for name in names}}

    def path(self, longest: int = 3) -> str:
        steps = [self.pick(FIELDS)]
        while len(steps) < longest and self.chance(0.45):
            steps.append(self.pick([*FIELDS, "0", "1"]))
        return ".".join(steps)

    def index(self) -> dict:
        paths = self.random.sample(["a", "b", "c", "a.a", "a.b", "b.c", "a.0"], self.pick([1, 1, 2, 3]))
        spec = {"keys": {path: self.pick([1, -1]) for path in paths}}
        if self.chance(0.2):
            spec["sparse"] = True
        elif self.chance(0.15):
            spec["partialFilter"] = {self.pick(FIELDS): {self.pick(["$gt", "$lt", "$gte", "$exists"]): 1}}
        if self.chance(0.5):
            spec["include"] = sorted({self.path() for _ in range(self.random.randrange(1, 4))})
        return spec

    # ---- filters

    def regex(self) -> dict:
        options = self.pick(["", "", "i", "m", "s"])
        return {"$regex": self.pick(PATTERNS), **({"$options": options} if options else {})}

    def listed(self) -> list:
        return [self.value(1) if self.chance(0.85) else self.regex() for _ in range(self.random.randrange(4))]

    def broken(self) -> dict:
        """Returns a condition that is refused."""
        return self.pick(
            [
                {"$size": "x"}, {"$size": -1}, {"$size": 1.5}, {"$mod": [0, 1]}, {"$mod": [2]}, {"$mod": 4},
                {"$in": 5}, {"$nin": {"a": 1}}, {"$all": 1}, {"$type": "nonsense"}, {"$elemMatch": 5},
                {"$regex": 5}, {"$options": "i"}, {"$nonsense": 1}, {"$not": 5}, {"$not": {}}, {"$exists": 1, "a": 1},
            ]
        )  # fmt: skip

    def operators(self, depth: int) -> dict:
        found = self.operator(depth)
        if self.chance(0.25):
            other = self.operator(depth)
            if not {"$ne", "$nin", "$not", "$exists"} & {*found, *other}:
                found.update(other)
        return found

    def operator(self, depth: int) -> dict:
        kind = self.random.randrange(17 if depth else 14)
        if kind < 6:
            operand = self.value(1)
            isRange = kind > 1 and isinstance(operand, (list, dict))
            return {["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"][kind]: self.scalar() if isRange else operand}
        if kind < 8:
            return {["$in", "$nin"][kind - 6]: self.listed()}
        if kind == 8:
            return {"$exists": self.pick([True, False, 1, 0])}
        if kind == 9:
            return {"$type": self.pick([self.pick([*TYPES, "number"]), self.random.sample(TYPES, 2), 2, 16, 18])}
        if kind == 10:
            return {"$size": self.pick([0, 1, 2, Int64(1), 2.0])}
        if kind == 11:
            return {"$mod": [self.pick([2, 3, -2, Int64(4), 2.5]), self.pick([0, 1, -1, 1.0])]}
        if kind == 12:
            return self.regex()
        if kind == 13:
            return {"$all": [self.value(1) for _ in range(self.random.randrange(3))]}
        if kind == 14:
            return {"$not": self.broken() if self.chance(0.02) else self.operators(depth - 1)}
        if kind == 15:
            return {"$elemMatch": self.conditions(depth - 1) if self.chance(0.5) else self.operators(depth - 1)}
        return {"$all": [{"$elemMatch": self.conditions(depth - 1)} for _ in range(self.pick([1, 2]))]}

    def filter(self) -> dict:
        return {} if self.chance(0.05) else self.conditions(2)

    def conditions(self, depth: int) -> dict:
        found: dict = {}
        for _ in range(self.pick([1, 1, 1, 2, 2, 3])):
            if depth and self.chance(0.15):
                branches = [self.conditions(depth - 1) for _ in range(self.random.randrange(1, 4))]
                found[self.pick(["$and", "$or", "$nor"])] = branches
            elif self.chance(0.3):
                value = self.value(1)
                found[self.path()] = {"$eq": {}} if value == {} else value  # known.py, NOT_ASKED
            else:
                found[self.path()] = self.broken() if self.chance(0.03) else self.operators(depth)
        return found

    def query(self) -> dict:
        query: dict = {"filter": self.filter()}
        if self.chance(0.3):
            paths = {self.path(2) for _ in range(self.pick([1, 1, 2]))}
            query["sort"] = {path: self.pick([1, -1]) for path in sorted(paths)}
            query["sort"]["id"] = 1
        if self.chance(0.15):
            query["skip"] = self.random.randrange(4)
            query["limit"] = self.random.randrange(1, 6)
        return query

    # ---- updates

    def push(self) -> dict:
        if self.chance(0.4):
            return self.value(1)
        push: dict = {"$each": [self.value(1) for _ in range(self.random.randrange(3))]}
        if self.chance(0.4):
            push["$position"] = self.pick([0, 1, -1, -9, 9])
        if self.chance(0.4):
            push["$slice"] = self.pick([0, 1, 2, -1, -2, 9])
        if self.chance(0.4):
            push["$sort"] = self.pick([1, -1, {"a": 1}, {"a.b": -1}, {"b": -1, "a": 1}])
        return push

    def operand(self, operator: str):
        if self.chance(0.02):
            return self.pick([5, "x", None, []])
        if operator in ("$set", "$min", "$max", "$setOnInsert"):
            return self.value(1)
        if operator == "$unset":
            return ""
        if operator in ("$inc", "$mul"):
            return self.pick(NUMBERS)
        if operator == "$push":
            return self.push()
        if operator == "$addToSet":
            return self.value(1) if self.chance(0.5) else {"$each": [self.value(1) for _ in range(3)]}
        if operator == "$pop":
            return self.pick([1, -1])
        if operator == "$pullAll":
            return [self.value(1) for _ in range(self.random.randrange(3))]
        if operator == "$pull":
            return self.pick([self.value(1), self.operators(1), self.conditions(1)])
        return self.path(2)  # $rename

    def update(self) -> dict:
        """Returns {update, filter?, arrayFilters?}."""
        found: dict = {}
        changes: dict = {"update": found}
        for _ in range(self.pick([1, 1, 1, 2])):
            operator = self.pick(
                ["$set", "$set", "$unset", "$inc", "$mul", "$min", "$max", "$rename", "$push", "$push", "$pull"]
                + ["$pull", "$pullAll", "$addToSet", "$pop", "$setOnInsert"]
            )
            fields = found.setdefault(operator, {})
            for _ in range(self.pick([1, 1, 2])):
                fields[self.path() if operator == "$rename" else self.updatePath(changes)] = self.operand(operator)
        return changes

    def updatePath(self, changes: dict) -> str:
        steps = self.path().split(".")
        if not self.chance(0.15):
            return ".".join(steps)
        step = self.pick(["$[]", "$[e]", "$"])
        if step == "$[e]":
            changes["arrayFilters"] = [{self.pick(["e", "e.a"]): self.operators(0)}]
        if step == "$":
            changes["filter"] = {steps[0]: self.pick([{"$elemMatch": self.operators(0)}, self.scalar()])}
        return ".".join([steps[0], step, *steps[1:]])
