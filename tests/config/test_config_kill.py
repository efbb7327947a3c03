"""An import whose process is killed, at any point, and the repetition of the import."""

import threading
import time

import httpx

from support.project_configurations import export_text, make, summary
from support.client import Api, PlatformUser, ok
from support.waiting import wait_until

ROUNDS = 10


def imported(admin: Api, document) -> bool:
    """Whether the import is finished: an index that a policy set needs may still be built."""
    response = admin.post("/admin/config-import", document)
    if response.status_code == 503 and "is not ready" in response.text:
        return False
    ok(response)
    return True


def test_an_import_cut_anywhere_is_finished_by_the_next(make_server):
    server = make_server().start()
    owner = PlatformUser(server)
    source = owner.create_project("Source")
    make(source, 5)
    document = ok(source.admin.get("/admin/config-export"))
    wanted = export_text(source.admin)

    # The duration of a whole import gives the times at which to kill.
    whole = owner.create_project("Whole")
    began = time.monotonic()
    ok(whole.admin.post("/admin/config-import", document))
    took = time.monotonic() - began

    cut = set()
    for round_number in range(ROUNDS):
        project = owner.create_project(f"Round {round_number}")
        token = project.api_key("admin").token

        def attempt(api=Api(server, token)):
            try:
                api.post("/admin/config-import", document)
            except httpx.HTTPError:
                pass

        running = threading.Thread(target=attempt)
        running.start()
        time.sleep(took * (round_number + 1) / ROUNDS)
        server.kill()
        running.join()
        server.start()
        admin = Api(server, token)
        planned = ok(admin.post("/admin/config-import", document, params={"dryRun": "1"}))
        cut.add(summary(planned))
        # On MongoDB the build of an index continues half a minute after the kill.
        wait_until(lambda: imported(admin, document), 120, "the import is never finished", interval=0.5)
        assert export_text(admin) == wanted
        assert summary(ok(admin.post("/admin/config-import", document)))[:2] == (0, 0)
    assert len(cut) > 2, f"the process was always killed at the same place: {cut}"
