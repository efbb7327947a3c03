"""Checks whether a response is one of those in the server's OpenAPI document."""

import copy

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

# Objects with fields that the server does not define.
OPEN = {"Document", "NewDocument", "DocumentPatch"}


def _strict(schema, name=""):
    """Returns the schema of a response in a strict form that refuses fields that it does not name."""
    if isinstance(schema, list):
        return [_strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {
        key: ({field: _strict(part) for field, part in value.items()} if key == "properties" else _strict(value))
        for key, value in schema.items()
        if key not in ("examples", "default", "const", "enum")
    }
    strict.update({key: schema[key] for key in ("default", "const", "enum") if key in schema})
    if "properties" in schema and name.partition(".")[0] not in OPEN and not name.startswith("part"):
        strict.setdefault("additionalProperties", False)
    if "allOf" in schema:
        strict["allOf"] = [_strict(part, "part") for part in schema["allOf"]]
    return strict


class Described:
    def __init__(self, spec: dict):
        self.spec = spec
        strict = copy.deepcopy(spec)
        schemas = strict["components"]["schemas"]
        for name in schemas:
            schemas[name] = _strict(schemas[name], name)
        self.plain = Registry().with_resource("urn:spec", Resource(spec, DRAFT202012))
        self.registry = Registry().with_resource("urn:spec", Resource(strict, DRAFT202012))
        self.paths = [(path.strip("/").split("/"), path, item) for path, item in spec["paths"].items()]
        # Words that are not names of collections, since routes begin with them.
        self.words = {template[2] for template, _, _ in self.paths if len(template) > 2}

    def operations(self):
        """Yields (method, path, operation) of all operations."""
        for path, item in self.spec["paths"].items():
            for method, operation in item.items():
                yield method.upper(), path, operation

    def fitting(self, path: str) -> list[tuple[str, dict]]:
        """Returns the templates that a path matches, the most literal first."""
        segments = path.strip("/").split("/")
        found = []
        for template, name, item in self.paths:
            if name.startswith("/api/v1/{") and len(segments) > 2 and segments[2] in self.words:
                continue
            tail = name.endswith("/{path}") and len(segments) >= len(template)
            if len(segments) != len(template) and not tail:
                continue
            if all(part.startswith("{") or part == own for part, own in zip(template, segments)):
                found.append(([part.startswith("{") for part in template], name, item))
        return [(name, item) for _, name, item in sorted(found, key=lambda one: one[0])]

    def operation(self, method: str, path: str) -> dict | None:
        method = "get" if method == "HEAD" else method.lower()
        for _, item in self.fitting(path):
            if method in item:
                return item[method]
        return None

    def resolved(self, value: dict) -> dict:
        while "$ref" in value:
            target = self.spec
            for step in value["$ref"].removeprefix("#/").split("/"):
                target = target[step]
            value = target
        return value

    def problem(self, operation: dict, status: int, content_type: str, body, *, head: bool = False) -> str | None:
        """Returns what the document does not contain of a response; None if it is complete. `body` is the parsed JSON,
        or None."""
        responses = operation["responses"]
        response = responses.get(str(status), responses.get("default"))
        if response is None:
            return f"status {status} is not in the document"
        response = self.resolved(response)
        content = response.get("content", {})
        kind = content_type.partition(";")[0].strip()
        if not kind:
            return None if head or not content or status in (304,) or "*/*" in content else "there is no content"
        media = next((media for name, media in content.items() if name.partition(";")[0] == kind), content.get("*/*"))
        if media is None:
            return f"content of type {kind} is not in the document"
        # Files and the responses of functions have any type.
        if kind != "application/json" or head or "*/*" in content:
            return None
        codes = set(media.get("examples", {}))
        if codes and isinstance(body, dict) and body.get("error", {}).get("code") not in codes:
            return f"the code {body.get('error')} is not one of {sorted(codes)}"
        return self.mismatch(media["schema"], body)

    def mismatch(self, schema: dict, value) -> str | None:
        """Returns how a value violates the strict form of a schema; None if it does not."""
        schema = self._rooted(_strict(schema))
        errors = sorted(Draft202012Validator(schema, registry=self.registry).iter_errors(value), key=str)
        if not errors:
            return None
        return f"{errors[0].json_path}: {errors[0].message[:500]}"

    def takes(self, schema: dict, value) -> str | None:
        """Returns how a value violates a schema as it is; None if it does not."""
        errors = list(Draft202012Validator(self._rooted(schema), registry=self.plain).iter_errors(value))
        return f"{errors[0].json_path}: {errors[0].message[:500]}" if errors else None

    def _rooted(self, schema):
        if isinstance(schema, list):
            return [self._rooted(part) for part in schema]
        if not isinstance(schema, dict):
            return schema
        return {
            key: f"urn:spec{value}" if key == "$ref" and isinstance(value, str) else self._rooted(value)
            for key, value in schema.items()
        }
