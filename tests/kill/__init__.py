"""Kill rounds: the server is killed under concurrent writes, again and again, and must keep what it acknowledged."""
