"""The MongoDB-protocol server of the tests, with one correction. A drop of an index or a collection that meets what an open
transaction has written repeats each removal for ever, and holds the locks by which the transaction would go on or
end: the server stops responding. Here a drop leaves its locks and begins again, so that it waits for the end of the
transaction, as MongoDB's does. Runs in the environment that support/mongo_server.py installs, with its arguments."""

import functools
import sys

from secantus import storage
from secantus.cli import main

DROPS = ("drop_index", "drop_all_indexes", "drop_collection", "drop_database")


def in_one_transaction(drop):
    @functools.wraps(drop)
    def run(self, db, *rest):
        # In the order in which all others take them.
        with self._coll_lock(db, rest[0] if rest else ""), self._lock, self._batch_transaction():
            return drop(self, db, *rest)

    return storage._retry_write_conflicts(run)


for name in DROPS:
    setattr(storage.Storage, name, in_one_transaction(getattr(storage.Storage, name)))

if __name__ == "__main__":
    sys.exit(main())
