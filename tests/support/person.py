"""A person with a home folder, a working folder, and the program's client commands."""

import json
import subprocess
from pathlib import Path

from support.client import PASSWORD, PlatformUser
from support.commands import line_of, run
from support.terminal import on_terminal


class Person:
    """A platform user who works with the command line in `folder`, in an environment of their own."""

    def __init__(self, server, folder: Path, email: str | None = None):
        self.user = PlatformUser(server, email)
        self.email = self.user.email
        self.server = server
        self.home = folder / "home"
        self.work = folder / "work"
        self.home.mkdir(parents=True)
        self.work.mkdir()

    @property
    def credentials(self) -> Path:
        return self.home / ".config" / "manybase" / "credentials.json"

    def run(self, command: str, *arguments, typed: str | None = None, cwd=None, **variables):
        """`variables` are added to the environment."""
        settings = {"HOME": str(self.home), **variables}
        return run(command, *arguments, settings=settings, cwd=cwd or self.work, typed=typed)

    def login(self) -> "Person":
        line = ("--url", self.server.url, "--email", self.email, "--stdin")
        ran = self.run("login", *line, typed=PASSWORD + "\n")
        assert ran.returncode == 0, ran.stderr
        return self


class Folder:
    """A working folder with the bundle of a project."""

    def __init__(self, person: Person, path: Path, project=None):
        self.person = person
        self.path = path
        self.project = project
        self.bundle = path / "manybase"

    def run(self, command: str, *arguments, **more):
        return self.person.run(command, *arguments, cwd=self.path, **more)

    def at_terminal(self, command: str, *arguments, answers: list[str]) -> tuple[int, str]:
        """Runs the command on a terminal; returns the exit code and the output."""
        line = line_of(command, *arguments)
        return on_terminal(line, answers, cwd=self.path, HOME=str(self.person.home))

    def read(self, path: str):
        return json.loads((self.bundle / path).read_text())

    def write(self, path: str, value) -> None:
        file = self.bundle / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value, indent=2) + "\n")

    def files(self) -> dict[str, str]:
        """Returns the bundle's files, without the local state of this machine."""
        found = {}
        for path in sorted(self.bundle.rglob("*")):
            name = path.relative_to(self.bundle).as_posix()
            if path.is_file() and not name.startswith("."):
                found[name] = path.read_text()
        return found

    def git(self, *arguments) -> str:
        who = ["-c", f"user.email={self.person.email}", "-c", "user.name=Somebody", "-c", "commit.gpgsign=false"]
        line = ["git", *who, *map(str, arguments)]
        env = {"HOME": str(self.person.home), "PATH": "/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1"}
        ran = subprocess.run(line, cwd=self.path, capture_output=True, text=True, env=env, timeout=60)
        assert ran.returncode == 0, (line, ran.stdout, ran.stderr)
        return ran.stdout
