"""MongoDB's manual on filters, orders and a few updates, in plain Python: decides where the two sides disagree.
Pages: "Query and Projection Operators" and those of each operator, "Query an Array", "Query for Null or Missing
Fields", "Comparison/Sort Order"."""

import datetime
import math
import re
from fractions import Fraction

from bson import Decimal128, Int64, ObjectId

MISSING = object()
NUMBERS = (int, float, Decimal128)
TYPES = {
    "double": lambda value: isinstance(value, float),
    "string": lambda value: isinstance(value, str),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "binData": lambda value: isinstance(value, bytes),
    "objectId": lambda value: isinstance(value, ObjectId),
    "bool": lambda value: isinstance(value, bool),
    "date": lambda value: isinstance(value, datetime.datetime),
    "null": lambda value: value is None,
    "int": lambda value: type(value) is int,
    "long": lambda value: isinstance(value, Int64),
    "decimal": lambda value: isinstance(value, Decimal128),
    "number": lambda value: isinstance(value, NUMBERS) and not isinstance(value, bool),
}
CODES = dict(zip((1, 2, 3, 4, 5, 7, 8, 9, 10, 16, 18, 19), TYPES, strict=False))


def order(value):
    """Returns a key that sorts values of all types in MongoDB's order."""
    if value is None:
        return (1,)
    if isinstance(value, bool):
        return (8, value)
    if isinstance(value, NUMBERS):
        return (2, Fraction(value.to_decimal() if isinstance(value, Decimal128) else value))
    if isinstance(value, str):
        return (3, value.encode())
    if isinstance(value, dict):
        return (4, tuple((order(item)[0], key, order(item)) for key, item in value.items()))
    if isinstance(value, list):
        return (5, tuple(order(item) for item in value))
    if isinstance(value, bytes):
        return (6, len(value), value)
    if isinstance(value, ObjectId):
        return (7, value.binary)
    return (9, value)


def reached(document, steps: list[str], whole: bool = False):
    """Returns the values at a path: through objects by name, into the objects of arrays, and to elements of arrays by
    index. An array at the end gives itself and, unless `whole`, each of its elements."""
    value = document.get(steps[0], MISSING)
    if value is MISSING:
        yield MISSING
    elif len(steps) == 1:
        yield value
        if isinstance(value, list) and not whole:
            yield from value
    elif isinstance(value, dict):
        yield from reached(value, steps[1:], whole)
    elif isinstance(value, list):
        yield from inside(value, steps[1:], whole)
    else:
        yield MISSING


def inside(array: list, steps: list[str], whole: bool):
    for place, element in enumerate(array):
        if isinstance(element, dict):
            yield from reached(element, steps, whole)
        if steps[0] != str(place):
            continue
        if len(steps) == 1:
            yield element
        elif isinstance(element, dict):
            yield from reached(element, steps[1:], whole)
        elif isinstance(element, list):
            yield from inside(element, steps[1:], whole)


def equal(value, operand) -> bool:
    return order(None if value is MISSING else value) == order(operand)


def cut(number) -> int | None:
    number = number.to_decimal() if isinstance(number, Decimal128) else number
    return math.trunc(number) if abs(number) < 2**63 else None


def has_remainder(value, divisor, remainder) -> bool:
    if not TYPES["number"](value) or cut(value) is None:
        return False
    return _remainder(cut(value), cut(divisor)) == cut(remainder)


def _remainder(dividend: int, divisor: int) -> int:
    """Returns the remainder with the sign of the dividend."""
    return int(math.copysign(1, dividend)) * (abs(dividend) % abs(divisor)) if dividend else 0


def fits_pattern(value, pattern: dict) -> bool:
    flags = 0
    for option in pattern.get("$options", ""):
        flags |= {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}[option]
    # In Python `$` alone also matches before a newline at the end.
    source = pattern["$regex"] if flags & re.MULTILINE else re.sub(r"\$$", r"\\Z", pattern["$regex"])
    return isinstance(value, str) and re.search(source, value, flags) is not None


def listed(value, operand) -> bool:
    if isinstance(operand, dict) and "$regex" in operand:
        return fits_pattern(value, operand)
    return equal(value, operand)


def is_type(value, operand) -> bool:
    names = operand if isinstance(operand, list) else [operand]
    return value is not MISSING and any(TYPES[CODES.get(name, name)](value) for name in names)


def holds(value, name: str, operand, operators: dict) -> bool:
    """Evaluates one operator for one value at the path."""
    if name == "$eq":
        return equal(value, operand)
    if name in ("$gt", "$gte", "$lt", "$lte"):
        given, wanted = order(None if value is MISSING else value), order(operand)
        if given[0] != wanted[0]:
            return False
        orEqual = name.endswith("e") and given == wanted
        return orEqual or (given > wanted if name.startswith("$g") else given < wanted)
    if name == "$in":
        return any(listed(value, item) for item in operand)
    if name == "$type":
        return is_type(value, operand)
    if name == "$mod":
        return has_remainder(value, *operand)
    if name == "$regex":
        return fits_pattern(value, operators)
    if name == "$size":
        return isinstance(value, list) and len(value) == operand
    if name == "$elemMatch":
        return isinstance(value, list) and any(element_fits(element, operand) for element in value)
    raise ValueError(name)


def element_fits(element, operand: dict) -> bool:
    first = next(iter(operand), "")
    if first.startswith("$") and first not in ("$and", "$or", "$nor"):
        return all(operator_fits([element], name, item, operand) for name, item in operand.items())
    if isinstance(element, list):
        element = {str(place): item for place, item in enumerate(element)}
    return isinstance(element, dict) and matches(operand, element)


def operator_fits(values, name: str, operand, operators: dict) -> bool:
    """Evaluates one operator for all values at the path; `values` is a list, or a function of `whole` that returns
    one."""
    if name == "$options":
        return True
    if name == "$ne":
        return not operator_fits(values, "$eq", operand, {})
    if name == "$nin":
        return not operator_fits(values, "$in", operand, {})
    if name == "$not":
        return not all(operator_fits(values, inner, item, operand) for inner, item in operand.items())
    found = values if isinstance(values, list) else values(name in ("$size", "$elemMatch"))
    if name == "$exists":
        return any(value is not MISSING for value in found) == bool(operand)
    if name == "$all":
        return bool(operand) and all(
            operator_fits(values, "$elemMatch", item["$elemMatch"], {})
            if isinstance(item, dict) and "$elemMatch" in item
            else any(listed(value, item) for value in found)
            for item in operand
        )
    return any(holds(value, name, operand, operators) for value in found)


def matches(filter: dict, document: dict) -> bool:
    for key, operand in filter.items():
        if key == "$and":
            fits = all(matches(branch, document) for branch in operand)
        elif key == "$or":
            fits = any(matches(branch, document) for branch in operand)
        elif key == "$nor":
            fits = not any(matches(branch, document) for branch in operand)
        else:
            steps = key.split(".")
            values = lambda whole: list(reached(document, steps, whole))  # noqa: E731
            if not (isinstance(operand, dict) and next(iter(operand), "").startswith("$")):
                operand = {"$eq": operand}
            fits = all(operator_fits(values, name, item, operand) for name, item in operand.items())
        if not fits:
            return False
    return True


EMPTY = (0.5,)


def sort_keys(value, steps: list[str]):
    """Returns the keys by which a document can be sorted along a path."""
    if not steps:
        yield from [order(element) for element in value] or [EMPTY] if isinstance(value, list) else [order(value)]
    elif isinstance(value, dict):
        yield from sort_keys(value[steps[0]], steps[1:]) if steps[0] in value else [order(None)]
    elif isinstance(value, list):
        place = int(steps[0]) if steps[0].isdigit() else None
        if place is not None and not any(isinstance(element, dict) and steps[0] in element for element in value):
            yield from sort_keys(value[place], steps[1:]) if place < len(value) else [order(None)]
            return
        for element in value or [None]:
            yield from sort_keys(element if isinstance(element, dict) else {}, steps)
    else:
        yield order(None)


def in_order(documents: list[dict], sort: dict) -> list[str]:
    """Returns the ids, sorted: ascending by the smallest of the keys of each, descending by the largest."""
    found = list(documents)
    for path, way in reversed(sort.items()):
        pick = min if way > 0 else max
        found.sort(key=lambda document: pick(sort_keys(document, path.split("."))), reverse=way < 0)
    return [document["id"] for document in found]


def arrays_on(document: dict, paths) -> int:
    """Returns in how many arrays of the document the paths are; an array whose element a path names does not count."""
    found = set()
    for path in paths:
        value, steps = document, path.split(".")
        while steps and isinstance(value, (dict, list)):
            if isinstance(value, list) and not (steps[0].isdigit() and int(steps[0]) < len(value)):
                break
            step = steps.pop(0)
            value = value[int(step)] if isinstance(value, list) else value.get(step)
        if isinstance(value, list):
            found.add(id(value))
    return len(found)


def same(value, other) -> bool:
    return order(value) == order(other)


def pulls(condition, element) -> bool:
    """Returns whether $pull removes an element: by operators on the element, as a filter on an object, or by
    equality."""
    if not isinstance(condition, dict):
        return same(element, condition)
    first = next(iter(condition), "")
    if first.startswith("$") and first not in ("$and", "$or", "$nor"):
        return matches({"element": condition}, {"element": element})
    return isinstance(element, dict) and matches(condition, element)


def at(value, path: str):
    """Returns the value at a path, through objects and indexes of arrays; MISSING if it does not exist."""
    for step in path.split("."):
        if isinstance(value, list):
            value = dict(enumerate(value)).get(int(step) if step.isdigit() else -1, MISSING)
        else:
            value = value.get(step, MISSING) if isinstance(value, dict) else MISSING
    return value


def after(operator: str, value, operand):
    """Returns the value at a path after one of these operators; MISSING for others."""
    if operator in ("$min", "$max"):
        pick = min if operator == "$min" else max
        return operand if value is MISSING else pick(value, operand, key=order)
    array = [] if value is MISSING else value
    if not isinstance(array, list):
        return MISSING
    if operator == "$pull":
        return [element for element in array if not pulls(operand, element)]
    if operator == "$pullAll":
        return [element for element in array if not any(same(element, item) for item in operand)]
    each = operand["$each"] if isinstance(operand, dict) and "$each" in operand else [operand]
    if operator == "$addToSet":
        found = list(array)
        for item in each:
            if not any(same(item, element) for element in found):
                found.append(item)
        return found
    if operator == "$push":
        return pushed(array, each, operand if isinstance(operand, dict) and "$each" in operand else {})
    return MISSING


def pushed(array: list, each: list, modifiers: dict) -> list:
    place = modifiers.get("$position", len(array))
    place = max(len(array) + place, 0) if place < 0 else place
    array = array[:place] + each + array[place:]
    if "$sort" in modifiers:
        array = sorted_elements(array, modifiers["$sort"])
    slice = modifiers.get("$slice", len(array))
    return array[:slice] if slice >= 0 else array[slice:]


def sorted_elements(array: list, sort) -> list:
    if not isinstance(sort, dict):
        return sorted(array, key=order, reverse=sort < 0)
    for path, way in reversed(sort.items()):

        def key(element, path=path):
            found = at(element, path) if isinstance(element, dict) else MISSING
            return order(None if found is MISSING else found)

        array = sorted(array, key=key, reverse=way < 0)
    return array
