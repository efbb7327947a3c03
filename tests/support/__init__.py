"""What the whole-server tests share: the server process, clients by kind of caller, and expectations."""
