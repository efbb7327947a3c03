"""Sockets that are held open during a measurement."""

import json
import subprocess


class HeldSockets:
    """As a context: `count` sockets with the tokens of a file in rotation, which follow `collection` if it is given.
    `opened` holds what socketload reports of their opening."""

    def __init__(self, binaries, port, tokens, count, collection=None):
        command = [binaries / "socketload", "--port", str(port), "--hold", "1", "--sockets", str(count)]
        command += ["--tokens", tokens] + (["--collection", collection] if collection else [])
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the sockets could not be opened: status {self.process.wait()}")
        self.opened = json.loads(line)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        ended = self.process.poll() is not None
        self.process.communicate()
        if ended and kind is None:
            raise RuntimeError("the sockets were closed during the measurement")
