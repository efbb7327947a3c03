"""Live lists under random histories with cut sockets end equal to a fresh query. MB_HISTORIES; ./test long sdk"""

import json
import os

import pytest

from support.sdk_package import node

HISTORIES = os.environ.get("MB_HISTORIES", "1000")


@pytest.mark.timeout(3_600)
def test_histories(package, setup):
    done = node(package, "test/histories.mjs", HISTORIES, input=json.dumps(setup), timeout=3_500)
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["histories"] == int(HISTORIES) and result["cuts"] >= int(HISTORIES)
    print(f"live lists: {result['histories']} random histories, {result['cuts']} cut sockets")
