"""Scenarios of the SDK (sdk/typescript/test/scenarios) in Node.js, and what is published."""

import json
import re
import subprocess
import tarfile

import pytest

from support.billing import BILLED
from support.node_packages import WITH_NODE
from support.sdk_package import SDK, node, scenarios
from support.server import ROOT, binary

SCENARIOS = scenarios("scenarios")


@pytest.fixture(scope="module")
def results(package, setup) -> dict:
    """The results of all scenarios, which run one after another in one process."""
    done = node(package, "test/run.mjs", input=json.dumps(setup))
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert done.returncode == 0, done.stderr
    return {each["name"]: each.get("error") for each in found}


# The first of them waits for all.
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", SCENARIOS)
def test_in_node(results, name):
    assert results[name] is None, results[name]


def test_there_are_scenarios():
    assert len(SCENARIOS) > 220


@pytest.mark.parametrize("program", ["types", "node"])
def test_types(package, program):
    """A wrong field, operator, sort or reference does not compile; the right ones do, with and without a page's types."""
    done = node(package, "node_modules/typescript/bin/tsc", "-p", f"test/{program}")
    assert done.returncode == 0, done.stdout


def test_sizes(package):
    done = node(package, "scripts/sizes.mjs")
    assert done.returncode == 0, done.stdout + done.stderr
    assert {"main", "live", "react", "admin", "control"} <= set(json.loads(done.stdout))


def test_generated_clients_are_those_of_the_description(package, make_server):
    """Of a server with billing, which describes its operations only then."""
    done = node(package, "scripts/generate.mjs", "--check", make_server(BILLED).start().url)
    assert done.returncode == 0, done.stderr


def test_the_reference_is_that_of_the_types(package, tmp_path):
    """The pages of docs/ are what the types give, and all that is exported has a comment; the check finds a difference."""
    check = ("scripts/reference.mjs", "--check", "--docs")
    done = node(package, *check, str(ROOT / "docs"))
    assert done.returncode == 0, done.stdout + done.stderr
    for page in ("sdk-reference.md", "sdk-reference-planes.md"):
        text = (ROOT / "docs" / page).read_text()
        (tmp_path / page).write_text(text.replace("options?: CallOptions", "options: CallOptions", 1))
    done = node(package, *check, str(tmp_path))
    assert done.returncode == 1 and "docs/sdk-reference.md is not what the types say" in done.stdout


def test_types_of_a_project_fit(package, server, project, tmp_path):
    """What `manybase types` prints compiles as the schema of a client."""
    note = {"type": "object", "required": ["title"], "properties": {"title": {"type": "string"}}}
    note["properties"]["next"] = {"type": "string", "x-ref": "typed-notes"}
    note["properties"]["parts"] = {
        "type": "array",
        "items": {"type": "object", "properties": {"by": {"type": "string", "x-ref": "users"}}},
    }
    project.collection("typed-notes", {}, note)
    variables = {"MANYBASE_URL": server.url, "MANYBASE_PROJECT": project.id, "MANYBASE_TOKEN": project.admin.token}
    environment = {**WITH_NODE, "HOME": str(tmp_path), **variables}
    for command in (["pull"], ["types", "--out", str(tmp_path / "types.ts")]):
        subprocess.run([binary(), *command], cwd=tmp_path, env=environment, check=True, capture_output=True, timeout=60)
    folder = package / "test" / "types"
    (folder / "printed.ts").write_text((tmp_path / "types.ts").read_text())
    (folder / "printed_use.ts").write_text(
        'import { createClient } from "manybase";\n'
        'import type { Schema } from "./printed.js";\n'
        'const notes = createClient<Schema>({ url: "" }).collection("typed-notes");\n'
        "export async function use() {\n"
        '  const note = await notes.get("x", { expand: ["next", "parts.by"] });\n'
        '  const title: string = typeof note.next === "object" ? note.next.title : note.title;\n'
        "  // @ts-expect-error an unknown field\n"
        '  await notes.create({ titel: "x" });\n'
        "  return title;\n"
        "}\n"
    )
    try:
        done = node(package, "node_modules/typescript/bin/tsc", "-p", "test/types")
        assert done.returncode == 0, done.stdout
    finally:
        (folder / "printed.ts").unlink()
        (folder / "printed_use.ts").unlink()


# What the examples of the guide take from the app around them.
GUIDE = """
declare const email: string, password: string, code: string, blob: Blob, button: HTMLElement;
declare const reload: () => void, render: (...shown: unknown[]) => void;
export {};
"""


def test_examples_of_the_guide_compile(package):
    """The TypeScript of docs/sdk.md, in its order one module, and its React example."""
    text = (ROOT / "docs" / "sdk.md").read_text()
    folder = package / "test" / "types"
    made = []
    for kind, head in (("ts", GUIDE), ("tsx", "")):
        blocks = re.findall(rf"^```{kind}\n(.*?)^```", text, re.M | re.S)
        assert blocks, kind
        file = folder / f"guide.{kind}"
        file.write_text(head + "\n".join(blocks).replace("./manybase-types", "./schema.js"))
        made.append(file)
    try:
        done = node(package, "node_modules/typescript/bin/tsc", "-p", "test/types")
        assert done.returncode == 0, done.stdout
    finally:
        for file in made:
            file.unlink()


# Of Vue, what the guide's component imports; its compiler alone is installed.
VUE = """
declare module "vue" {
  export function onScopeDispose(end: () => void): void;
  export function shallowRef<T>(value: T): { value: T };
}
"""


def test_components_of_the_guide_compile(package):
    """Its components of Vue and Svelte, by their compilers, and their scripts against the types."""
    text = (ROOT / "docs" / "sdk.md").read_text()
    folder = package / "test" / "types"
    sources = []
    for kind in ("vue", "svelte"):
        [block] = re.findall(rf"^```{kind}\n(.*?)^```", text, re.M | re.S)
        sources.append(folder / f"Guide.{kind}")
        sources[-1].write_text(block.replace("./manybase-types", "./schema.js"))
    made = [*sources, *(file.with_name(f"{file.name}.ts") for file in sources), folder / "vue.d.ts"]
    made[-1].write_text(VUE)
    try:
        done = node(package, "scripts/components.mjs", *map(str, sources))
        assert done.returncode == 0, done.stdout
        done = node(package, "node_modules/typescript/bin/tsc", "-p", "test/types")
        assert done.returncode == 0, done.stdout
    finally:
        for file in made:
            file.unlink(missing_ok=True)


def test_what_is_published(package, built):
    """The packed package: its files, and that its entries and types resolve for every kind of consumer."""
    with tarfile.open(built / "manybase.tgz") as tarball:
        files = {name.removeprefix("package/") for name in tarball.getnames()}
    entries = {f"dist/{name}.{end}" for name in ("index", "react", "admin", "control") for end in ("js", "d.ts")}
    assert entries <= files and {"package.json", "README.md", "LICENSE", "dist/manybase.min.js"} <= files
    assert all(each.startswith("dist/") or "/" not in each for each in files), files
    manifest = json.loads((package / "package.json").read_text())
    assert "dependencies" not in manifest and manifest["sideEffects"] is False
    assert f'version = "{manifest["version"]}"' in (package / "src" / "version.ts").read_text()
    done = node(package, "scripts/published.mjs", str(built / "manybase.tgz"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_lock_file_names_no_registry():
    assert '"resolved"' not in (SDK / "package-lock.json").read_text()
