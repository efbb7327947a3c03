"""Random collections, documents and requests for GraphQL, and the data that graphql-js needs to give the same
results."""

import random
import string

SCALARS = {
    "string": lambda c: "".join(
        c.choice(string.ascii_letters + ' "\\\n\u00e9\U0001f600') for _ in range(c.randrange(8))
    ),
    "integer": lambda c: c.choice([0, 1, -7, 2**31 - 1, -(2**31), c.randrange(1000)]),
    "number": lambda c: c.choice([0.5, -2.25, 3, 1e20, c.random()]),
    "boolean": lambda c: c.random() < 0.5,
}
SERVER_FIELDS = ("id", "createdAt", "updatedAt", "ownerId")
NAMES = [
    "title",
    "views",
    "body-text",
    "rank",
    "author",
    "ownerName",
    "tag_list",
    "place",
    "x1",
    "Kind",
    "homeId",
    "_low",
]


def capital(name: str) -> str:
    name = name.replace("-", "_")
    return name[:1].upper() + name[1:]


class RandomProject:
    """`collections`: name -> JSON Schema or None. The GraphQL names follow the rules of docs/graphql.md."""

    def __init__(self, seed: int):
        self.chance = random.Random(seed)
        names = self.chance.sample(
            ["posts", "people", "my-things", "Tags", "line_items", "query"], self.chance.randint(1, 4)
        )
        self.names = names
        self.collections = {}
        self.fields: dict[str, dict] = {}  # type -> field -> type of the level below, or None
        self.relations: dict[str, dict] = {}
        self.keys: dict[str, dict] = {}
        self.loose = []
        for name in names:
            self.collections[name] = None if self.chance.random() < 0.2 else self._schema(name)
        self.documents = {name: {} for name in names}

    def type_of(self, name: str) -> str:
        return capital(name) + ("_" if name == "query" else "")

    def base_of(self, name: str) -> str:
        return name.replace("-", "_") + ("_" if name == "query" else "")

    # ---- schemas

    def _schema(self, name: str) -> dict:
        properties = {}
        for field in self.chance.sample(NAMES, self.chance.randint(1, 7)):
            properties[field] = self._property(1)
        return {"type": "object", "properties": properties}

    def _property(self, level: int) -> dict:
        roll = self.chance.random()
        if roll < 0.5:
            return {"type": self.chance.choice(list(SCALARS))}
        if roll < 0.6:
            return {"type": ["null", self.chance.choice(list(SCALARS))]}
        if roll < 0.7:
            return {"type": "string", "x-ref": self.chance.choice(self.names)}
        if roll < 0.76:
            return {"type": "array", "items": {"type": "string", "x-ref": self.chance.choice(self.names)}}
        if roll < 0.82 and level < 3:
            return {"type": "array", "items": self._property(level + 1)}
        if roll < 0.94 and level < 3:
            inner = {
                name: self._property(level + 1) for name in self.chance.sample(NAMES[:6], self.chance.randint(1, 3))
            }
            return {"type": "object", "properties": inner}
        return self.chance.choice([{}, {"type": "object"}, {"enum": ["red", "green"]}])

    # ---- documents

    def document(self, name: str) -> dict:
        schema = self.collections[name]
        if schema is None:
            return {"free": self._anything(), "n": self.chance.randrange(9)}
        return self._object(schema)

    def _object(self, schema: dict) -> dict:
        return {key: self._value(each) for key, each in schema["properties"].items() if self.chance.random() < 0.8}

    def _anything(self):
        return self.chance.choice([None, 1, "x", [1, {"a": None}], {"deep": {"er": [True]}}])

    def _value(self, schema: dict):
        if "x-ref" in schema:
            known = list(self.documents[schema["x-ref"]]) + ["gone"]
            return self.chance.choice(known)
        kind = schema.get("type")
        if isinstance(kind, list):
            return None if self.chance.random() < 0.3 else SCALARS[kind[1]](self.chance)
        if "enum" in schema:
            return self.chance.choice(schema["enum"])
        if kind == "array":
            return [self._value(schema["items"]) for _ in range(self.chance.randrange(4))]
        if kind == "object":
            return self._object(schema) if "properties" in schema else {"free": self._anything()}
        return SCALARS[kind](self.chance) if kind else self._anything()

    # ---- data for graphql-js, from the introspection

    def learn(self, introspection: dict) -> dict:
        """Returns the world for graphql-js: which fields are relations, and the keys of the values."""
        types = {each["name"]: each for each in introspection["__schema"]["types"]}
        roots = {}
        for name in self.names:
            base = self.base_of(name)
            roots[base] = {"collection": name, "kind": "list"}
            roots[base + "ById"] = {"collection": name, "kind": "byId"}
            roots[base + "Count"] = {"collection": name, "kind": "count"}
            if self.collections[name] is None:
                self.loose.append(self.type_of(name))
            else:
                self._learn(types, self.type_of(name), self.collections[name])
        self.roots = roots
        self.types = types
        return {
            "documents": self.documents,
            "relations": self.relations,
            "keys": self.keys,
            "loose": self.loose,
            "roots": roots,
        }

    def _learn(self, types: dict, type_name: str, schema: dict) -> None:
        fields = {each["name"]: each for each in types[type_name]["fields"]}
        keys, relations = self.keys.setdefault(type_name, {}), self.relations.setdefault(type_name, {})
        for key, each in schema["properties"].items():
            name = key.replace("-", "_")
            many = each.get("type") == "array" and "x-ref" in each["items"]
            target = each.get("x-ref") or (each["items"]["x-ref"] if many else None)
            if target is None:
                assert name in fields, f"{type_name} lacks {name}"
                keys[name] = key
                inner, below = each, named(fields[name]["type"])
                while inner.get("type") == "array":
                    inner = inner["items"]
                if "x-ref" not in inner and types[below]["kind"] == "OBJECT":
                    self._learn(types, below, inner)
                continue
            object_name, id_name = (name[:-2], name) if name.endswith("Id") and len(name) > 2 else (name, name + "Id")
            assert named(fields[object_name]["type"]) == self.type_of(target)
            assert named(fields[id_name]["type"]) == "ID"
            relations[object_name] = {"key": key, "collection": target, "many": many}
            keys[id_name] = key

    # ---- requests

    def request(self) -> tuple[str, dict]:
        self.fragments: dict[str, str] = {}
        self.variables: dict[str, tuple[str, object]] = {}
        body = self._roots()
        declared = ", ".join(f"${name}: {kind}" for name, (kind, _) in self.variables.items())
        text = f"query Q{f'({declared})' if declared else ''} {{ {body} }} "
        text += " ".join(self.fragments.values())
        return text, {name: value for name, (_, value) in self.variables.items()}

    def _variable(self, kind: str, value) -> str:
        name = f"v{len(self.variables)}"
        self.variables[name] = (kind, value)
        return "$" + name

    def _roots(self) -> str:
        parts = []
        for number in range(self.chance.randint(1, 3)):
            field = self.chance.choice(list(self.roots))
            root = self.roots[field]
            name = f"r{number}: {field}" if self.chance.random() < 0.8 or number else field
            known = [*self.documents[root["collection"]], "gone"]
            if root["kind"] == "count":
                parts.append(name)
                continue
            arguments, level = [], 1
            if root["kind"] == "byId":
                wanted = self.chance.choice(known)
                arguments.append(
                    "id: " + (self._variable("ID!", wanted) if self.chance.random() < 0.5 else f'"{wanted}"')
                )
            else:
                if self.chance.random() < 0.2:
                    level = 4  # fifty documents: fewer levels below them, because of the cost
                else:
                    limit = self.chance.randrange(5)
                    arguments.append(
                        "limit: " + (self._variable("Int", limit) if self.chance.random() < 0.5 else str(limit))
                    )
                if self.chance.random() < 0.3:
                    arguments.append(f"skip: {self.chance.randrange(3)}")
                if self.chance.random() < 0.3:
                    arguments.append(f'after: "{self.chance.choice(known)}"')
            given = f"({' '.join(arguments)})" if arguments else ""
            parts.append(f"{name}{given} {{ {self._selection(self.type_of(root['collection']), level)} }}")
        if self.chance.random() < 0.2:
            parts.append("__typename")
        return " ".join(parts)

    def _selection(self, type_name: str, level: int) -> str:
        parts = []
        fields = self.types[type_name]["fields"]
        for field in self.chance.sample(fields, min(len(fields), self.chance.randint(1, 5))):
            if field["name"] in ("createdAt", "updatedAt", "ownerId") and self.chance.random() < 0.7:
                continue
            below = named(field["type"])
            text = field["name"]
            if self.types[below]["kind"] == "OBJECT":
                if level >= 5:
                    continue
                text += f" {{ {self._selection(below, level + 1)} }}"
            if self.chance.random() < 0.2:
                directive = self.chance.choice(["include", "skip"])
                value = self.chance.random() < 0.5
                text_of = self._variable("Boolean!", value) if self.chance.random() < 0.4 else str(value).lower()
                head, brace, rest = text.partition(" {")
                text = f"{head} @{directive}(if: {text_of}){brace}{rest}"
            parts.append(text)
        if self.chance.random() < 0.2:
            parts.append("... { __typename }")
        if self.chance.random() < 0.15:
            name = f"F{len(self.fragments)}"
            self.fragments[name] = ""
            self.fragments[name] = f"fragment {name} on {type_name} {{ {self._selection(type_name, 5)} }}"
            parts.append(f"...{name}")
        return " ".join(parts) or "__typename"

    def broken(self) -> str:
        """Returns a request with something removed, inserted or changed; it may still be valid."""
        text, _ = self.request()
        words = text.split(" ")
        for _ in range(self.chance.randint(1, 2)):
            at = self.chance.randrange(len(words))
            roll = self.chance.random()
            if roll < 0.3:
                del words[at]
            elif roll < 0.6:
                words[at] = self.chance.choice(words)
            else:
                more = ["nope", "id", "{", "}", "...F0", "on", "@skip", "(limit: 1)", "(limit: \"1\")", "$v0", "(id: null)",
                        "@include(if: true)", "@nope", "...on Query { __typename }", "a: id", "a: __typename", "(x: 1)",
                        "fragment", "1.5", '"text"', "!"]  # fmt: skip
                words.insert(at, self.chance.choice(more))
            if not words:
                break
        return " ".join(words)


def named(type_ref: dict) -> str:
    while type_ref["ofType"]:
        type_ref = type_ref["ofType"]
    return type_ref["name"]
