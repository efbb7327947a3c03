"""The server of MongoDB's protocol that MANYBASE_TEST_MONGO_URL names, for tests that can run on one that they do not
own. It takes databases with names of their own, and drops those."""

import os
import re
import socket
from urllib.parse import urlsplit

import pymongo

URL = os.environ.get("MANYBASE_TEST_MONGO_URL", "")


class GivenMongo:
    """`url`: as of MANYBASE_TEST_MONGO_URL."""

    def __init__(self, url: str = URL):
        self.url = url
        parsed = urlsplit(url)
        self.user, _, self.hosts = parsed.netloc.rpartition("@")
        self.options = dict(part.split("=", 1) for part in parsed.query.split("&") if "=" in part)
        # Else it would be that of the database that the address names.
        if self.user:
            self.options.setdefault("authSource", parsed.path.strip("/") or "admin")
        self.scheme = parsed.scheme
        self.made: list[str] = []

    @property
    def is_plain(self) -> bool:
        """Whether a proxy can be put before its first host."""
        secure = {name.lower(): value for name, value in self.options.items()}
        return self.scheme == "mongodb" and "true" not in (secure.get("tls"), secure.get("ssl"))

    @property
    def first_host(self) -> tuple[str, int]:
        host, _, port = self.hosts.split(",")[0].rpartition(":")
        return (host, int(port)) if host and port.isdigit() else (self.hosts.split(",")[0], 27017)

    def outbound_allow(self) -> str:
        """The addresses of its hosts, as SERVICE_OUTBOUND_ALLOW takes them, and this machine's."""
        names = {re.sub(r":\d+$", "", host) for host in self.hosts.split(",")}
        found = {info[4][0] for name in names for info in socket.getaddrinfo(name, None)}
        return ",".join(sorted(found | {"127.0.0.1"}))

    def database(self, name: str) -> str:
        """Returns the address of a database; drop() drops it, and those whose names begin with its name."""
        self.made.append(name)
        return self._address(self.hosts, self.options, name)

    def through(self, port: int, name: str) -> str:
        """The same through a proxy on this machine before the first host."""
        self.made.append(name)
        options = {key: value for key, value in self.options.items() if key.lower() != "replicaset"}
        return self._address(f"127.0.0.1:{port}", {**options, "directConnection": "true"}, name)

    def _address(self, hosts: str, options: dict, name: str) -> str:
        query = "&".join(f"{key}={value}" for key, value in options.items())
        return f"{self.scheme}://{self.user + '@' if self.user else ''}{hosts}/{name}{'?' + query if query else ''}"

    def drop(self) -> None:
        """Drops the databases that tests named, and those of their projects."""
        made, self.made = tuple(self.made), []
        with pymongo.MongoClient(self._address(self.hosts, self.options, "")) as client:
            for name in client.list_database_names():
                if made and name.startswith(made):
                    client.drop_database(name)
