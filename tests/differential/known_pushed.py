"""Conditions that servers of other origins evaluate otherwise than MongoDB's manual says, for pushed.py.

Each is listed with the page of the manual that decides it and an example. The predicates see the smallest condition of a
filter about which server and manual (arbiter.py) disagree, so they are narrow; the first that holds names the reason.

Not listed, as the engine evaluates it again: null at a path through an array without documents. mongo-java-server and
FerretDB let {"a.b": null} match there, as does MongoDB since SERVER-36681.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import arbiter
from bson import Decimal128


@dataclass
class Condition:
    """A condition of a filter, and a document on which the server and the manual disagree about it."""

    filter: dict
    document: dict
    answer: bool | str  # of the server: whether the document matches, or the text of its error
    expected: bool  # by the manual

    def __post_init__(self):
        self.path, value = next(iter(self.filter.items()))
        # {path: value} without an operator, which some servers evaluate otherwise than {path: {$eq: value}}.
        self.plain = not (isinstance(value, dict) and next(iter(value), "").startswith("$"))
        self.operators = {"$eq": value} if self.plain else value
        self.name = next(iter(self.operators)) if not self.path.startswith("$") else self.path
        self.operand = value if self.path.startswith("$") else self.operators[self.name]

    def __str__(self) -> str:
        document = {k: v for k, v in self.document.items() if k == self.path.split(".")[0] or self.path.startswith("$")}
        return f"  document  {document}\n  condition {self.filter}\n  server    {self.answer}\n  manual    {self.expected}"


@dataclass
class Known:
    name: str
    rule: str  # the page of the manual, and what it says
    explains: Callable[[Condition], bool]
    # An example: the server disagrees with the manual about whether this filter matches this document.
    filter: dict
    document: dict


@dataclass
class List:
    """What one server does otherwise."""

    conditions: list[Known] = field(default_factory=list)
    # What the server does not store, and takes in no filter.
    decimals: bool = True
    arrays_in_arrays: bool = True

    def reason(self, condition: Condition) -> str | None:
        return next((known.name for known in self.conditions if known.explains(condition)), None)

    def filter(self, value):
        """Returns a filter, or a part of one, without values that the server does not take: the nearest in their place."""
        if isinstance(value, Decimal128) and not self.decimals:
            return float(value.to_decimal())
        if isinstance(value, dict):
            return {key: self.filter(item) for key, item in value.items()}
        return [self.filter(item) for item in value] if isinstance(value, list) else value

    def document(self, value):
        """Returns a document, or a value of one, as the server stores it."""
        if isinstance(value, dict):
            return {key: self.document(item) for key, item in value.items()}
        if not isinstance(value, list):
            return self.filter(value)
        items = [self.document(item) for item in value]
        if self.arrays_in_arrays:
            return items
        return [inner for item in items for inner in (item if isinstance(item, list) else [item])]



# ---- what conditions and documents have


def holds(value, found: Callable) -> bool:
    """Returns whether `found` is true for the value or any value inside it."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return found(value) or any(holds(item, found) for item in inside)


def values(condition: Condition) -> list:
    """Returns what the path of the condition reaches in the document."""
    return list(arbiter.reached(condition.document, condition.path.split(".")))


def at_first(condition: Condition):
    """Returns the value of the field with which the path begins."""
    return condition.document.get(condition.path.split(".")[0])


def arrays_on_the_way(condition: Condition) -> list[list]:
    """Returns the arrays that the path goes through, those at its end not among them."""

    def through(value, steps: list[str]):
        if not steps:
            return
        if isinstance(value, list):
            yield value
            for place, item in enumerate(value):
                if isinstance(item, dict):
                    yield from through(item.get(steps[0]), steps[1:])
                if steps[0] == str(place):
                    yield from through(item, steps[1:])
        elif isinstance(value, dict):
            yield from through(value.get(steps[0]), steps[1:])

    return list(through(condition.document, condition.path.split(".")))


def is_list(value) -> bool:
    return isinstance(value, list)


def array_in_array(condition: Condition) -> bool:
    return holds(at_first(condition), lambda value: is_list(value) and any(map(is_list, value)))


def inexact(condition: Condition) -> bool:
    """Returns whether the operators have a number, and they or the document one that a double may not hold."""

    def is_number(value) -> bool:
        return isinstance(value, (int, float, Decimal128)) and not isinstance(value, bool)

    def may_be_inexact(value) -> bool:
        return isinstance(value, Decimal128) or (is_number(value) and abs(value) >= 2**53)

    both = [condition.operators, at_first(condition)]
    return not error(condition) and all(holds(each, is_number) for each in both) and holds(both, may_be_inexact)


def names_place(condition: Condition) -> bool:
    """Returns whether a number in the path is a place of an array and a field of a document in that array."""

    def meets(value, steps: list[str]) -> bool:
        if not steps:
            return False
        if isinstance(value, list):
            inner = [item for item in value if isinstance(item, dict)]
            if steps[0].isdigit() and any(steps[0] in item for item in inner):
                return True
            place = [value[int(steps[0])]] if steps[0].isdigit() and int(steps[0]) < len(value) else []
            return any(meets(item, steps) for item in inner) or any(meets(item, steps[1:]) for item in place)
        return isinstance(value, dict) and meets(value.get(steps[0]), steps[1:])

    return meets(condition.document, condition.path.split("."))


def several(condition: Condition) -> bool:
    return len([name for name in condition.operators if name != "$options"]) > 1


def too_many(condition: Condition) -> bool:
    return condition.answer is True and not condition.expected


def equals_element(condition: Condition, kind: type) -> bool:
    """Returns whether an operand of this type equals an element of an array that the path reaches."""
    operands = condition.operand if condition.name == "$in" else [condition.operand]
    arrays = [value for value in values(condition) if is_list(value)]
    return any(isinstance(one, kind) and one in array for one in operands for array in arrays)


def too_few(condition: Condition) -> bool:
    return condition.answer is False and condition.expected


def error(condition: Condition) -> str:
    return condition.answer if isinstance(condition.answer, str) else ""


def in_element_match(condition: Condition, found: Callable) -> bool:
    """Returns whether `found` is true for what an $elemMatch of the condition demands, or a part of it."""

    def inside(value) -> bool:
        if isinstance(value, dict) and "$elemMatch" in value:
            return holds(value["$elemMatch"], found)
        items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return any(map(inside, items))

    return inside(condition.operators)


def has(value, name: str, operand) -> bool:
    return isinstance(value, dict) and value.get(name, ...) == operand


def keys_with(value, operand) -> bool:
    """Returns whether `value` is a document with this value of a field."""
    return isinstance(value, dict) and operand in value.values()


def keys_in(value, *names: str) -> bool:
    return holds(value, lambda one: isinstance(one, dict) and any(name in one for name in names))


JAVA = [
    Known(
        "an empty document is no condition",
        '"Match an Embedded/Nested Document": equality is with the whole document, here one without fields',
        lambda c: too_many(c)
        and (c.plain and c.operand == {} or {} in c.operators.get("$all", []) or in_element_match(c, lambda one: keys_with(one, {}))),
        {"a": {}},
        {"a": 1},
    ),
    Known(
        "a document equals what has its fields, and its nulls anything",
        '"Match an Embedded/Nested Document": equality is with the whole document',
        lambda c: too_many(c)
        and (c.plain and isinstance(c.operand, dict) or holds(c.operators.get("$all"), lambda one: keys_with(one, None))),
        {"a": {"b": None}},
        {"a": 5},
    ),
    Known(
        "$gte and $lte of null",
        '"$gte", "$lte": they include equality, and null equals null and missing fields ("Query for Null or Missing Fields")',
        lambda c: too_few(c)
        and (c.name in ("$gte", "$lte") and c.operand is None or in_element_match(c, lambda one: one is None)),
        {"a": {"$gte": None}},
        {},
    ),
    Known(
        "$all of nothing",
        '"$all": with an empty array it matches no document',
        lambda c: too_many(c) and (c.operators.get("$all") == [] or in_element_match(c, lambda one: has(one, "$all", []))),
        {"a.b": {"$all": []}},
        {"a": []},
    ),
    Known(
        "$all of null",
        '"$all": equivalent to an $and of the values, and null equals missing fields',
        lambda c: too_few(c) and holds(c.operators, lambda one: isinstance(one, dict) and None in one.get("$all", [])),
        {"a": {"$all": [None]}},
        {},
    ),
    Known(
        "$all has an equality of its own",
        '"$all": equivalent to an $and of the values, which are compared as by $eq',
        lambda c: too_few(c) and c.name == "$all" and not several(c) and not keys_in(c.operators, "$elemMatch"),
        {"a": {"$all": [1]}},
        {"a": 1.0},
    ),
    Known(
        "what is next to $regex is left out",
        '"Specify AND Conditions": all operators of a field must hold',
        lambda c: too_many(c) and "$regex" in c.operators and several(c),
        {"a": {"$regex": "a", "$lt": 2}},
        {"a": "abc"},
    ),
    Known(
        "$regex in the text of any value",
        '"$regex": matches strings',
        lambda c: too_many(c) and keys_in(c.operators, "$regex") and any(not isinstance(v, str) for v in values(c)),
        {"a": {"$regex": "a"}},
        {"a": False},
    ),
    Known(
        "operators of one field must hold of one element",
        '"Query an Array with Compound Filter Conditions": one element may satisfy one condition and another the other',
        lambda c: too_few(c) and several(c) and holds(at_first(c), is_list),
        {"a": {"$gte": "a", "$type": "int"}},
        {"a": ["b", 1]},
    ),
    Known(
        "a place of an array is not also a field",
        '"Dot Notation": a number is a place of an array or a field of its documents',
        lambda c: (too_few(c) or too_many(c)) and names_place(c),
        {"a.0": 5},
        {"a": [1, {"0": 5}]},
    ),
    Known(
        "an array as operand",
        '"Match an Array": the field is that array or has it as an element',
        lambda c: holds(c.operators, lambda one: one == [])
        and holds(at_first(c), lambda one: one == [])
        or any(map(is_list, c.operators.get("$nin", []))) and holds(at_first(c), is_list),
        {"a": []},
        {"a": [[]]},
    ),
    Known(
        "an array as operand is the whole field",
        '"Match an Array": the field is that array or has it as an element',
        lambda c: too_few(c) and c.plain and equals_element(c, list),
        {"a": [0]},
        {"a": [[0], 5]},
    ),
    Known(
        "an array among the values of $in",
        '"$in": the field, or one of its elements, equals one of the values',
        lambda c: too_few(c) and c.name == "$in" and any(is_list(value) and value in c.operand for value in values(c)),
        {"a": {"$in": [7, [0]]}},
        {"a": [0]},
    ),
    Known(
        "a path through an array of no values exists",
        '"$exists", "$not": they hold where there is no such field',
        lambda c: too_few(c)
        and c.name in ("$exists", "$not")
        and any(all(map(is_list, array)) for array in arrays_on_the_way(c)),
        {"a.b": {"$exists": False}},
        {"a": []},
    ),
    Known(
        "an element without the field is enough",
        '"$exists", "$not": they hold where no document of an array has the field, or such a value',
        lambda c: too_many(c) and c.name in ("$exists", "$not") and bool(arrays_on_the_way(c)),
        {"a.b": {"$exists": False}},
        {"a": [5, {"b": 1}]},
    ),
    Known(
        "elements that are no documents in $elemMatch",
        '"$elemMatch": conditions on fields are met by documents',
        lambda c: too_many(c)
        and (in_element_match(c, lambda one: one is None or keys_in(one, "$not", "$ne", "$nin", "$exists", "$eq"))),
        {"a": {"$elemMatch": {"b": {"$not": {"$size": 2}}}}},
        {"a": [""]},
    ),
    Known(
        "arrays in arrays are looked through",
        '"Query an Array of Embedded Documents": a path leads into the documents of an array, not of arrays in it',
        lambda c: too_many(c) and array_in_array(c) and not inexact(c),
        {"a.b": 1},
        {"a": [[{"b": 1}]]},
    ),
    Known(
        "places of arrays in arrays in $elemMatch",
        '"Dot Notation": an array has its places as fields',
        lambda c: too_few(c) and array_in_array(c) and keys_in(c.operators, "$elemMatch"),
        {"a": {"$elemMatch": {"b": {"$exists": False}}}},
        {"a": [[]]},
    ),
    Known(
        "$all of $elemMatch where an element does not match",
        '"$all", "Use $all with $elemMatch": one element is enough',
        lambda c: too_few(c) and c.name == "$all" and keys_in(c.operators, "$elemMatch"),
        {"a": {"$all": [{"$elemMatch": {"b": {"$lt": 2}}}]}},
        {"a": ["c", {"b": 1}]},
    ),
    Known(
        "$ne of a document of nulls through an array",
        '"$ne": holds where no value at the path equals the operand',
        lambda c: too_few(c)
        and isinstance(c.operators.get("$ne"), dict)
        and all(value is None for value in c.operators["$ne"].values())
        and bool(arrays_on_the_way(c)),
        {"a.b": {"$ne": {}}},
        {"a": [2]},
    ),
    Known(
        "numbers as doubles",
        '"Comparison/Sort Order": numbers are compared by value, also those that no double holds',
        inexact,
        {"a": 0.1},
        {"a": Decimal128("0.1")},
    ),
    Known(
        "$or, $and and $nor fail in $elemMatch",
        '"$elemMatch": takes conditions on documents; elements that are none do not match',
        lambda c: error(c).startswith("Unknown error") and keys_in(c.operators, "$or", "$and", "$nor"),
        {"a": {"$elemMatch": {"$or": [{"b": 1}, {"c": 1}]}}},
        {"a": [5]},
    ),
]

FERRET = [
    Known(
        "$ne where another element is not equal",
        '"$ne": holds where no value at the path equals the operand',
        lambda c: too_many(c) and c.name in ("$ne", "$nin") and bool(arrays_on_the_way(c)),
        {"a.b": {"$ne": 1}},
        {"a": [{"b": 2}, {"b": ["c", 1]}]},
    ),
    Known(
        "operators of one field must hold of one element",
        '"Query an Array with Compound Filter Conditions": one element may satisfy one condition and another the other',
        lambda c: too_few(c) and several(c) and bool(arrays_on_the_way(c)),
        {"a.b": {"$gte": 2, "$lte": "c"}},
        {"a": [{"b": "a"}, {"b": 3}]},
    ),
    Known(
        "$elemMatch of several operators",
        '"$elemMatch": takes any conditions',
        lambda c: "NotImplemented" in error(c) and keys_in(c.operators, "$elemMatch"),
        {"a": {"$elemMatch": {"$ne": 2}}},
        {"a": [1]},
    ),
    Known(
        "$elemMatch of several fields",
        '"$elemMatch": takes any conditions',
        lambda c: error(c).startswith("unknown operator: ") and keys_in(c.operators, "$elemMatch"),
        {"a": {"$elemMatch": {"b": 1, "c": 2}}},
        {"a": [{"b": 1, "c": 2}]},
    ),
    Known(
        "decimals",
        '"BSON Types": decimal is one; the server stores none',
        lambda c: "Unknown type name alias: decimal" in error(c),
        {"a": {"$type": "decimal"}},
        {"a": 2},
    ),
    Known(
        "$elemMatch matches the array itself",
        '"$elemMatch": of an element',
        lambda c: too_many(c) and keys_in(c.operators, "$elemMatch"),
        {"a": {"$elemMatch": {"$exists": True}}},
        {"a": []},
    ),
    Known(
        "an empty document is not compared",
        '"Match an Embedded/Nested Document", "Query an Array for an Element": as a whole, and with each element',
        lambda c: too_few(c) and holds(c.operators, lambda one: one == {}),
        {"a": {}},
        {"a": [{}]},
    ),
    Known(
        "a document is not compared with elements",
        '"Query an Array of Embedded Documents": one element equals the document',
        lambda c: too_few(c) and c.name in ("$eq", "$in") and equals_element(c, dict),
        {"a": {"c": 1}},
        {"a": [{"c": 1}]},
    ),
    Known(
        "what is next to an empty document is left out",
        '"Specify AND Conditions": all operators of a field must hold',
        lambda c: too_many(c) and {} in (c.operators.get("$eq"), c.operators.get("$ne")) and several(c),
        {"a": {"$eq": {}, "$lt": 1}},
        {"a": {}},
    ),
    Known(
        "missing in some documents of an array",
        '"Query for Null or Missing Fields": null equals what is missing, in each document of an array',
        lambda c: too_few(c) and bool(arrays_on_the_way(c)) and holds(c.operators, lambda one: one is None),
        {"a.b": None},
        {"a": [{"b": {}}, {"c": 1}]},
    ),
    Known(
        "missing fields in $elemMatch",
        '"$elemMatch", "Query for Null or Missing Fields": an element may lack the field',
        lambda c: too_few(c) and keys_in(c.operators, "$elemMatch"),
        {"a": {"$elemMatch": {"b": {"$exists": False}}}},
        {"a": [{}, 1]},
    ),
    Known(
        "a place of an array is not also a field",
        '"Dot Notation": a number is a place of an array or a field of its documents',
        lambda c: (too_few(c) or too_many(c)) and names_place(c),
        {"a.0": 5},
        {"a": [1, {"0": 5}]},
    ),
]

TESTS = [
    Known(
        "$all of null",
        '"$all": equivalent to an $and of the values, and null equals missing fields',
        lambda c: too_few(c) and None in c.operators.get("$all", []),
        {"a": {"$all": [None]}},
        {},
    ),
    Known(
        "numbers as doubles",
        '"Comparison/Sort Order": numbers are compared by value, also those that no double holds',
        inexact,
        {"a": 0.1},
        {"a": Decimal128("0.1")},
    ),
    Known(
        "$all of an empty array",
        '"$all": equivalent to an $and of the values; the field may be that array ("Match an Array")',
        lambda c: too_few(c) and [] in c.operators.get("$all", []),
        {"a": {"$all": [[]]}},
        {"a": []},
    ),
    Known(
        "arrays in arrays in $elemMatch",
        '"Dot Notation": an array has its places as fields',
        lambda c: too_few(c) and array_in_array(c) and keys_in(c.operators, "$elemMatch"),
        {"a": {"$all": [{"$elemMatch": {"b": {"$exists": False}}}]}},
        {"a": [[]]},
    ),
    Known(
        "$or, $and and $nor alone in $elemMatch",
        '"$elemMatch": takes any conditions',
        lambda c: error(c).startswith("unknown operator: $") and keys_in(c.operators, "$or", "$and", "$nor"),
        {"a": {"$elemMatch": {"$or": [{"b": 1}, {"c": 1}]}}},
        {"a": [{"b": 1}]},
    ),
]

LISTS = {
    "mongo-java-server": List(JAVA),
    "ferretdb": List(FERRET, decimals=False, arrays_in_arrays=False),
    "secantusdb": List(TESTS),
}
