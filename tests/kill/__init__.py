"""Crash tests: the server is killed repeatedly under concurrent writes, and must keep every acknowledged write."""
