"""Shared by the whole-server tests: the server process, clients by kind of caller, and expectations."""
