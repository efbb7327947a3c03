"""Ports for programs that cannot choose one themselves."""

import collections
import random
import socket
from pathlib import Path

# The system takes the ports of outgoing connections from this range: a port of it may be taken before it is used.
_OUTGOING = tuple(int(end) for end in Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
_LOWEST, _HIGHEST = 15000, 64000
# What keeps a port from the other processes of the tests: a name in the abstract namespace. The last 200 are held, and
# none longer than this process.
_CLAIMS = 200
_claims: collections.deque[socket.socket] = collections.deque()


def free_port() -> int:
    """Returns a port of 127.0.0.1 that nothing uses, and that neither another test nor an outgoing connection is given
    in the time that follows."""
    candidates = [port for port in range(_LOWEST, _HIGHEST) if not _OUTGOING[0] <= port <= _OUTGOING[1]]
    for port in random.Random().sample(candidates, len(candidates)):
        claim = socket.socket(socket.AF_UNIX)
        try:
            claim.bind(f"\0manybase-test-port-{port}")
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", port))
        except OSError:
            claim.close()
            continue
        _claims.append(claim)
        if len(_claims) > _CLAIMS:
            _claims.popleft().close()
        return port
    raise AssertionError("no free port")
