"""What tests of costs do: they take readings of usage, and read what projects cost."""

import calendar
from datetime import date, datetime, timedelta, timezone

from support.client import PlatformUser, ok
from support.server import Server
from support.waiting import wait_until

COSTS = "/control/admin/costs"


def today() -> date:
    return datetime.now(timezone.utc).date()


def around_today() -> dict:
    """Returns the range of days in which everything was read, also if midnight passes."""
    return {"from": str(today() - timedelta(days=1)), "to": str(today() + timedelta(days=1))}


def days_of_month() -> int:
    return calendar.monthrange(today().year, today().month)[1]


class Readings:
    """Readings are taken at each start of the server."""

    def __init__(self, server: Server, operator: PlatformUser):
        self.server = server
        self.operator = operator

    def report(self, **headers) -> dict:
        return ok(self.operator.get(COSTS, params=around_today(), headers=headers))

    def row(self, project_id: str) -> dict | None:
        return next((row for row in self.report()["projects"] if row["id"] == project_id), None)

    def take(self, project_id: str) -> dict:
        """Takes readings; returns the row of a project that had none."""
        self.server.stop()
        self.server.start()
        return wait_until(lambda: self.row(project_id), what=f"no costs of {project_id}")
