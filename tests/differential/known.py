"""The accepted differences, each with the page of MongoDB's manual that decides it. "The other" is mongo-java-server.

A difference about matching or sorting is accepted only where arbiter.py, which is written from the manual alone,
agrees with this engine. Refused updates are matched by name here.

NOT_ASKED lists requests for which the other's result is wrong in all cases, so that no comparison is possible:
  - {field: {}} without $eq: the other treats it as no condition. ("Query on Embedded/Nested Documents")
  - $gt, $gte, $lt, $lte with an array or object: the other orders these by its own rule. ("Comparison/Sort Order")
  - $ne, $nin, $not and $exists with another operator in one object: the other then skips arrays. ("$and")
  - {$elemMatch: {}}: the other matches elements that are not objects. ("$elemMatch (query)")
  - $bit: the other lacks it. Unique indexes: the other enforces partial ones on all documents; the engine's own suites
    test them.
FIELD_ORDER: new fields are added in the order of their names here, as "Behavior" of "$set" says; the other adds them
in the order of the request. Documents are compared without the order of fields.
"""

import itertools
import re
from collections.abc import Iterator
from decimal import Decimal

import arbiter
from bson import Decimal128

# Whether the engine is the one on MongoDB, whose server is the tests' own: SERVER lists what that one does otherwise than
# the manual says.
on_mongo = False

NUMBERS = (int, float, Decimal128)

# The operands of each operator, by its own page; the other checks operands only when it applies them, or never.
OPERANDS = (
    r" takes |requires \$regex|must not be (mixed|combined) with|must be the only key|, not an operator|is not an operator"
    r"|, which has no array filter"
)

# (name, pattern of the error, whether it explains the case)
UPDATES = [
    # "Update Operators Behavior": conflicting paths are refused. The other detects only some, and none inside an
    # operator.
    ("update: conflicting paths", r"would conflict with|change the same element", lambda case: paths_meet(case)),
    # "$inc", "$push" and others, "Behavior": a null field is neither a number nor an array. The other treats it as
    # missing.
    ("update: null is not missing", r"of type null", lambda case: True),
    # "Update Operators": a path through a scalar, or by name into an array, is an error, not an absent field.
    ("update: a path that cannot be", r"leads through", lambda case: True),
    ("update: operands are checked", OPERANDS, lambda case: True),
    # "$ (update)": needs its match in the query, whatever the operator.
    ("update: `$` without its match", r"must be an array|names no element", lambda case: ".$" in str(case.request)),
    # "$inc", "$mul": a 64-bit integer does not wrap.
    ("update: overflow", r"is too large", lambda case: uses(case, "$inc", "$mul")),
    # "$rename": "does not work" on fields of arrays.
    ("update: $rename into an array", r"cannot reach", lambda case: uses(case, "$rename")),
    # "Multikey Indexes", "Compound Multikey Indexes": one array per document. The other has no indexes here.
    ("update: an index over two arrays", r"covers two arrays", lambda case: True),
]


def reason(case) -> str | None:
    """Returns the name of the accepted difference that explains `case`, or None."""
    if case.kind == "update":
        return update_reason(case)
    if on_mongo and (name := server_reason(case)):
        return name
    if isinstance(case.ours, str):
        return refusal_reason(case)
    if isinstance(case.theirs, str):
        # A Java exception is not a result.
        return "the other failed" if re.search(r"Unknown error|connection closed", case.theirs) else None
    if case.kind == "order":
        return order_reason(case)
    return match_reason(case)


def update_reason(case) -> str | None:
    if isinstance(case.theirs, str) and re.search(r"Unknown error|connection closed", case.theirs):
        return "the other failed"
    if not isinstance(case.ours, str):
        return value_reason(case) or numbers_reason(case) or filter_reason(case) or elements_reason(case)
    for name, message, explains in UPDATES:
        if re.search(message, case.ours) and explains(case):
            return name
    return elements_reason(case) or matched_reason(case) or filter_reason(case)


def refusal_reason(case) -> str | None:
    if re.search(OPERANDS, case.ours):
        return "filter: operands are checked"
    # "Compound Multikey Indexes" holds for sorts too: "cannot sort with keys that are parallel arrays". The other sorts.
    sort = case.request.get("sort", {})
    matched = [document for document in case.documents if arbiter.matches(case.request["filter"], document)]
    if "two arrays of a document" in case.ours and any(arbiter.arrays_on(document, sort) > 1 for document in matched):
        return "sort: by two arrays of a document"
    # The server under the engine on MongoDB refuses "a.0" where an element of the array `a` has a field "0", also of
    # documents that match only the part of the filter that it evaluates. The manual says nothing of it.
    if "names a position of an array" in case.ours and any(
        isinstance(value, list) and any(isinstance(item, dict) and "0" in item for item in value)
        for document in case.documents
        for value in inner_values(document)
    ):
        return "sort: a position that is also a field"
    return None


def server_reason(case) -> str | None:
    text = str(case.request["filter"])
    # "$elemMatch (query)": conditions on an element may be $or, $and and $nor alone. The server knows them only next to
    # others.
    if isinstance(case.ours, str):
        if re.search(r"unknown operator: \$(or|and|nor)", case.ours):
            return "server: a logical operator alone in $elemMatch"
        # MongoDB refuses such a sort with its error 16746, so the engine on it does, too.
        if "the sort names a position of an array" in case.ours:
            return "server: a sort by a place or a name"
        # It sorts what it takes as equal.
        sort = case.request.get("sort", {})
        parallel = any(arbiter.arrays_on(document, sort) > 1 for document in case.documents)
        by_two = "two arrays of a document" in case.ours and parallel
        return "server: numbers as doubles" if by_two and equal_as_doubles(case) else None
    # "Comparison/Sort Order": numbers are compared by value, also those that no double holds.
    if case.kind == "match" and equal_as_doubles(case):
        return "server: numbers as doubles"
    # An element that is an array is a document whose names are positions.
    if "$elemMatch" in text and in_document(case, lambda value: isinstance(value, list) and holds_list(value)):
        return "server: $elemMatch on an array in an array"
    return None


def index_reason(indexes: list, query: dict, documents: list, mine: dict) -> str | None:
    """Returns the name of the accepted difference between the results of a query in a collection with these indexes and in one
    without, or None."""

    def roots(paths) -> set[str]:
        return {path.split(".")[0] for path in paths}

    descending = {path for index in indexes for path, order in index["keys"].items() if order == -1}
    fields = roots(descending) & roots(query.get("sort", {}))

    def strings(document: dict) -> set[str]:
        values = inner_values([document.get(field) for field in fields])
        return {value for value in values if isinstance(value, str)}

    every = set().union(*map(strings, documents))
    affected = {a for a, b in itertools.permutations(every, 2) if a.startswith(b) or b.startswith(a)}
    others = {document["id"] for document in documents if not affected & strings(document)}
    orders = [[id for id in mine.get(part, []) if id in others] for part in ("plain", "indexed")]
    same = mine.keys() >= {"plain", "indexed"} and mine["plainCount"] == mine["indexedCount"]
    same = same and ("limit" in query or orders[0] == orders[1])
    # "Sort on Multiple Fields": an index yields the same order from both ends. The server's keys of descending fields have a
    # string before those that it begins.
    return "server: strings in a descending index" if on_mongo and affected and same else None


def equal_as_doubles(case) -> bool:
    """Returns whether a number of the filter and one of the documents are equal as doubles alone."""

    def numbers(value) -> list[Decimal]:
        found = [each for each in inner_values(value) if isinstance(each, NUMBERS) and not isinstance(each, bool)]
        return [each.to_decimal() if isinstance(each, Decimal128) else Decimal(each) for each in found]

    pairs = itertools.product(numbers(case.request["filter"]), numbers(case.documents))
    return any(a.is_finite() and b.is_finite() and a != b and float(a) == float(b) for a, b in pairs)


def holds_list(value: list) -> bool:
    return any(isinstance(item, list) for item in value)


def inner_values(value) -> Iterator:
    """Yields the value and all values inside it."""
    yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from inner_values(item)


def match_reason(case) -> str | None:
    if arbiter.matches(case.request["filter"], case.documents[0]) != bool(case.ours):
        return None
    names = set(re.findall(r"'(\$\w+)'", str(case.request["filter"])))
    for name, needs in MATCHES:
        if needs(case, names):
            return name
    return None


def holds(value, found) -> bool:
    """Returns whether `found` is true for the value or any value inside it."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return found(value) or any(holds(item, found) for item in inside)


def in_document(case, found) -> bool:
    return any(holds(document, found) for document in case.documents)


def has(case, kind) -> bool:
    def found(value):
        return isinstance(value, kind)

    return in_document(case, found) or holds(case.request, found)


def large_numbers(case) -> bool:
    return in_document(case, is_large)


def is_large(value) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal128)):
        return False
    return abs(value.to_decimal() if isinstance(value, Decimal128) else value) >= 2**52


MATCHES = [
    # "$regex": matches strings. The other matches the text of any value.
    ("match: $regex on a value that is not a string", lambda case, names: "$regex" in names),
    # "Query for Null or Missing Fields", "Query an Array of Embedded Documents": a path does not match in an array
    # without documents: it is not null there, and negations match.
    ("match: arrays on the way", lambda case, names: in_document(case, lambda value: isinstance(value, list))),
    # "Comparison", "Query for Null": null equals missing, and $gte, $lte and $all include equality.
    ("match: null is missing too", lambda case, names: holds(case.request, lambda value: value is None)),
    # "$all": equality as in other operators: 1 equals 1.0, and objects are compared.
    ("match: $all by equality", lambda case, names: "$all" in names),
    # "Model Monetary Data": 0.1 as a decimal is not the double nearest to it.
    ("match: a decimal and a double", lambda case, names: has(case, Decimal128) and has(case, float)),
    # "$mod": the dividend is truncated to 64 bits; the other takes 32 bits of a double, and calculates with doubles.
    ("match: $mod of large numbers", lambda case, names: "$mod" in names),
    # "Numeric Types": compared by value. The other calculates with doubles.
    ("match: numbers beyond doubles", lambda case, names: large_numbers(case)),
]


def order_reason(case) -> str | None:
    if case.page is not None:
        skip = case.page.get("skip", 0)
        wanted = arbiter.in_order(case.documents, case.page["sort"])[skip:][: case.page.get("limit")]
    else:
        wanted = arbiter.in_order(case.documents, case.request["sort"])
    if wanted == case.ours:
        # "Comparison/Sort Order", Arrays: ascending by the smallest element, descending by the largest.
        return "sort: arrays and objects"
    mixed = in_document(case, lambda value: isinstance(value, list) and any(not isinstance(one, dict) for one in value))
    # The manual does not say how a path sorts through array elements that are not objects. Here they count as missing,
    # as in filters; the server treats them as null.
    return "sort: through arrays of other than objects" if mixed else None


def value_reason(case) -> str | None:
    """Explains one operator on one path by the manual."""
    before, update = case.documents[0], case.request["update"]
    if names_places(update):
        # "Update Operators Behavior": numeric names are processed in numeric order; the other uses the order of the
        # request.
        return "update: places of one array in their order"
    operator, fields = next(iter(update.items()))
    path, operand = next(iter(fields.items()))
    if len(update) > 1 or len(fields) > 1 or isinstance(case.theirs, str):
        return None
    if operator == "$unset" and unchanged(case, case.ours) and has(case, list):
        # "$unset": a name in an array is not a path to its elements; nothing happens.
        return "update: $unset by name into an array"
    is_number = holds(operand, lambda value: isinstance(value, NUMBERS))
    if operator == "$set" and is_number and arbiter.same(arbiter.at(case.ours, path), operand):
        # "$set" replaces the value and its type; the other keeps a number that it considers equal.
        return "update: $set of a number over another type's"
    step = next((step for step in (".$[]", ".$") if path.endswith(step)), "")
    path = with_index(case, path.removesuffix(step))
    value, became = arbiter.at(before, path), arbiter.at(case.ours, path)
    if step and isinstance(value, list):
        takes = [step == ".$[]" or not arbiter.same(one, two) for one, two in zip(value, became, strict=True)]
        each = zip(value, takes, strict=True)
        wanted = [arbiter.after(operator, one, operand) if taken else one for one, taken in each]
        wanted = arbiter.MISSING if arbiter.MISSING in wanted else wanted
    else:
        wanted = arbiter.after(operator, value, operand)
    if wanted is arbiter.MISSING or not arbiter.same(became, wanted):
        return None
    # "Comparison/Sort Order": one order and one equality for all types. The other has its own for arrays, objects and
    # decimals, and matches anything with {} in $pull.
    return f"update: {operator} by MongoDB's equality and order"


def matching_elements(case) -> list[tuple[int, object]]:
    """Returns the elements that `$` may stand for, with their indexes; none where the filter does not say."""
    if len(case.request.get("filter", {})) != 1 or ".$" not in str(case.request["update"]):
        return []
    path, condition = next(iter(case.request["filter"].items()))
    condition = condition.get("$elemMatch", condition) if isinstance(condition, dict) else {"$eq": condition}
    array = arbiter.at(case.documents[0], path)
    if not isinstance(array, list) or not next(iter(condition), "").startswith("$"):
        return []
    return [(index, element) for index, element in enumerate(array) if arbiter.element_fits(element, condition)]


def with_index(case, path: str) -> str:
    """Returns the path with the index that a `$` inside it stands for."""
    taken = matching_elements(case) if ".$." in path else []
    return path.replace(".$.", f".{taken[0][0]}.", 1) if taken else path


def matched_reason(case) -> str | None:
    """`$` is an element that the filter matches; the other may use another element, as it does in queries."""
    taken = matching_elements(case)
    # The error names the type of the element: the other would have found another one.
    return "update: the element that `$` stands for" if taken and not isinstance(taken[0][1], list) else None


def unchanged(case, became) -> bool:
    before = {key: value for key, value in case.documents[0].items() if key != "id"}
    return arbiter.same(before, {key: value for key, value in became.items() if key != "id"})


def filter_reason(case) -> str | None:
    """Explains the filter of an update as that of a query."""
    matches = arbiter.matches(case.request.get("filter", {}), case.documents[0])
    ours_missed = not matches and not isinstance(case.ours, str) and unchanged(case, case.ours)
    # The other calculates with doubles.
    theirs_missed = (
        matches and not isinstance(case.theirs, str) and unchanged(case, case.theirs) and large_numbers(case)
    )
    return "update: what the filter takes" if ours_missed or theirs_missed else None


def elements_reason(case) -> str | None:
    """Explains the elements that an array filter matches as documents that a query matches."""
    filters = case.request.get("arrayFilters", [])
    paths = [path for path in all_paths(case.request["update"]) if ".$[e]" in path]
    if len(filters) != 1 or len(paths) != 1:
        return None
    array = arbiter.at(case.documents[0], paths[0].split(".$[e]")[0])
    if not isinstance(array, list):
        return None
    takes = [arbiter.matches(filters[0], {"e": element}) for element in array]
    if isinstance(case.ours, str):
        return "update: what the array filter takes" if any(takes) else None
    became = arbiter.at(case.ours, paths[0].split(".$[e]")[0])
    kept = all(arbiter.same(one, two) for one, two, taken in zip(array, became, takes, strict=True) if not taken)
    return "update: what the array filter takes" if kept else None


def numbers_reason(case) -> str | None:
    # "$inc", "$mul": with a decimal, a double is converted to 15 digits, as in the server; the other uses all digits.
    both = has(case, Decimal128) and has(case, float)
    return "update: a double and a decimal" if both and uses(case, "$inc", "$mul") else None


def all_paths(update: dict) -> list[str]:
    return [path for fields in update.values() for path in fields]


def names_places(update: dict) -> bool:
    """Returns whether two paths differ first at two indexes of an array."""
    paths = [path.split(".") for path in all_paths(update)]

    def part(a: list[str], b: list[str]) -> bool:
        one, two = next(((one, two) for one, two in zip(a, b, strict=False) if one != two), ("", ""))
        return one.isdigit() and two.isdigit()

    return any(part(a, b) for i, a in enumerate(paths) for b in paths[:i])


def uses(case, *operators: str) -> bool:
    return any(operator in case.request["update"] for operator in operators)


def paths_meet(case) -> bool:
    """Returns whether two paths of the update are equal, or one is a prefix of the other, or one has `$[]` where the
    other has a name; `$` steps match any step."""
    update = case.request["update"]
    paths = [path.split(".") for path in all_paths(update)]
    paths += [path.split(".") for path in update.get("$rename", {}).values() if isinstance(path, str)]

    def meet(a: list[str], b: list[str]) -> bool:
        for one, two in zip(a, b, strict=False):
            if one != two and (one.startswith("$[") or two.startswith("$[")):
                return True
            if one != two and "$" not in (one, two):
                return False
        return True

    return any(meet(a, b) for i, a in enumerate(paths) for b in paths[:i])
