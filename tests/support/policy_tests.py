"""A policy for owners alone, and stored tests of it."""

OWN = {"read": {"filter": {"ownerId": "$auth.uid"}}}
SEEN = {
    "name": "owners read",
    "caller": {"role": "user", "uid": "ada"},
    "operation": "read",
    "document": {"id": "n", "ownerId": "ada"},
    "expect": "allowed",
}
HIDDEN = {**SEEN, "name": "strangers see nothing", "caller": {"role": "user", "uid": "bob"}, "expect": "hidden"}
