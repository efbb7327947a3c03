"""graphql-js in a process of its own: its results for schemas, requests and responses."""

import json
import subprocess
from pathlib import Path

from support.node_packages import NODE, installed

SOURCE = Path(__file__).resolve().parent / "graphql"


class Reference:
    def __init__(self):
        folder = installed(SOURCE, "graphql-reference")
        self.process = subprocess.Popen(
            [NODE, "reference.mjs"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def _call(self, task: str, **given) -> dict:
        self.process.stdin.write(json.dumps({"task": task, **given}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert "thrown" not in answer, answer["thrown"]
        return answer

    def schema(self, introspection: dict) -> list[str]:
        """Sets the schema of the following calls; returns its problems."""
        return self._call("schema", introspection=introspection)["problems"]

    def world(self, **world) -> None:
        """Sets the documents of the following executions."""
        self._call("world", **world)

    def validate(self, query: str) -> list[str]:
        return self._call("validate", query=query)["problems"]

    def execute(self, query: str, variables: dict) -> dict:
        return self._call("execute", query=query, variables=variables)

    def stop(self) -> None:
        self.process.stdin.close()
        self.process.wait(10)


INTROSPECTION = """
query IntrospectionQuery {
  __schema {
    description
    queryType { name }
    mutationType { name }
    subscriptionType { name }
    types { ...FullType }
    directives { name description isRepeatable locations args(includeDeprecated: true) { ...InputValue } }
  }
}
fragment FullType on __Type {
  kind name description specifiedByURL
  fields(includeDeprecated: true) {
    name description
    args(includeDeprecated: true) { ...InputValue }
    type { ...TypeRef }
    isDeprecated deprecationReason
  }
  inputFields(includeDeprecated: true) { ...InputValue }
  interfaces { ...TypeRef }
  enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
  possibleTypes { ...TypeRef }
}
fragment InputValue on __InputValue {
  name description type { ...TypeRef } defaultValue isDeprecated deprecationReason
}
fragment TypeRef on __Type {
  kind name
  ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name
  ofType { kind name ofType { kind name ofType { kind name } } } } } } } } }
}
"""
