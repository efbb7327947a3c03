"""Ten tasks at Manybase's dashboard and at PocketBase's, side by side: presses and seconds. A benchmark, so of
./test long tasks alone."""

import pytest
from tasks.manybase_tasks import AtManybase
from tasks.pocketbase_tasks import ABSENT, AtPocketBase

# In the order in which they run; the later ones of PocketBase use what the earlier ones made.
TASKS = {
    "first_start": "first start, until signed in (with a project)",
    "collection_and_document": "a collection with three fields and a first document",
    "find_and_change": "find one of 100,000 documents by a field and change it",
    "owners_alone_change": "let owners alone change their documents, and prove it",
    "why_not_found": "say why a user gets 404 for a document",
    "function_on_insert": "a function on inserts, run on a document, its log read",
    "webhook_that_fails": "a webhook, a test of it, why it fails",
    "scoped_key": "a scoped key with a call that works",
    "promotion": "promote staging after reading the difference",
    "block_a_user": "block a user and end their sessions",
}


@pytest.mark.timeout(1200)
def test_ten_tasks(chromium, make_server, receiver, tmp_path):
    ours = AtManybase(chromium, make_server, receiver)
    theirs = AtPocketBase(chromium, tmp_path)
    behind, ahead = [], []
    try:
        for task, title in TASKS.items():
            mine = getattr(ours, task)()
            line = f"{title}: {mine.clicks} presses, {mine.seconds:.0f} s"
            if task in ABSENT:
                print(f"{line}; PocketBase: {ABSENT[task]}")
                ahead.append(task)
                continue
            other = getattr(theirs, task)()
            print(f"{line}; PocketBase {other.clicks}, {other.seconds:.0f} s")
            if mine.seconds < other.seconds:
                ahead.append(task)
            elif mine.seconds > other.seconds:
                behind.append(task)
    finally:
        theirs.close()
    assert len(ahead) >= 6, ahead
    assert behind == []
