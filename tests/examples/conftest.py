"""The examples: their bundles pushed into projects, and their READMEs followed."""

import shutil
from pathlib import Path

import pytest

from support.commands import done
from support.example_app import ExampleApp, build_sdk
from support.person import Folder, Person
from support.server import ROOT
from support.walkthrough import fenced, follow

EXAMPLES = ROOT / "examples"


def bundle_of(name: str, target: Path) -> None:
    shutil.copytree(EXAMPLES / name / "manybase", target, ignore=shutil.ignore_patterns(".manybase"))


@pytest.fixture
def walk(tmp_path):
    """Follows the README of an example in a copy of its folder; checks the status of each call. Returns the blocks."""

    def walk(server, name: str, **variables):
        folder = tmp_path / "examples" / name
        shutil.copytree(EXAMPLES / name, folder, ignore=shutil.ignore_patterns(".manybase"))
        shutil.copy(EXAMPLES / "helpers.sh", folder.parent)
        commands = fenced((EXAMPLES / name / "README.md").read_text(), "sh")
        made = follow(commands, folder, URL=server.url, **variables)
        for block in made:
            assert block.statuses == block.expected, block
        return made

    return walk


@pytest.fixture(scope="module")
def person(server, tmp_path_factory):
    return Person(server, tmp_path_factory.mktemp("person")).login()


@pytest.fixture(scope="module")
def owner(person):
    return person.user


@pytest.fixture(scope="module")
def project(request, owner):
    return owner.create_project(request.module.EXAMPLE.capitalize())


@pytest.fixture(scope="module")
def folder(request, person, project):
    """The bundle of the module's example, linked to the project, not pushed yet."""
    folder = Folder(person, person.work, project)
    bundle_of(request.module.EXAMPLE, folder.bundle)
    done(folder.run("link", "--project", project.slug))
    return folder


@pytest.fixture(scope="session")
def sdk_module(tmp_path_factory) -> Path:
    """The SDK as one module for pages without a build step."""
    target = tmp_path_factory.mktemp("sdk") / "manybase.mjs"
    build_sdk(target)
    return target


@pytest.fixture(scope="module")
def app(request, server, project, folder, sdk_module, tmp_path_factory):
    """The web app of the module's example, whose bundle is pushed."""
    app = ExampleApp(request.module.EXAMPLE, tmp_path_factory.mktemp("app") / "web", sdk_module)
    app.configure(server.url, project.slug)
    if (folder.bundle / "variables.json").exists():
        done(folder.run("variables set", "APP_URL", "--value", app.url))
    done(folder.run("push", "--yes"))
    yield app
    app.stop()
