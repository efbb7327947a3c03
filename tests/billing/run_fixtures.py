"""A deployment with billing, whose operator pins limits of users."""

import pytest

from support.client import PlatformUser, Project, ok, refused

OPERATOR = "operator@example.com"
BILLED = {
    "SERVICE_BILLING": "on",
    "SERVICE_BILLING_SECRET_KEY": "sk_test_x",
    "SERVICE_OPERATORS": OPERATOR,
}


@pytest.fixture(scope="module")
def server_settings():
    return BILLED


@pytest.fixture(scope="module")
def operator(server):
    return PlatformUser(server, OPERATOR)


@pytest.fixture
def make_payer(operator):
    """Makes platform users who pay for their projects, with pinned limits."""
    return lambda **limits: Payer(operator, **limits)


class Payer(PlatformUser):
    def __init__(self, operator: PlatformUser, **limits):
        super().__init__(operator.server)
        self.operator = operator
        self.pin(**limits)

    def pin(self, **limits) -> None:
        """Sets these limits of the user; null is unlimited."""
        ok(self.operator.put(f"/control/admin/users/{self.id}/limits", {"limits": limits}), 204)


def usage(project: Project) -> dict:
    return ok(project.admin.get("/admin/usage"))["usage"]


def plan_limit(limit: str, max: int, use: int, what: str) -> str:
    """The message of a refusal, for a user on the plan free."""
    return f"plan limit: {limit}: the plan Free allows {max} {what}, in use are {use}"


def run_limit(max: int) -> str:
    return plan_limit("functionRunsPerMonth", max, max, "function runs in a month")


def refused_run(response, max: int) -> None:
    """Checks that the limit of runs refused it, until the month ends."""
    error = refused(response, 429, "PLAN_LIMIT")
    assert error["message"] == run_limit(max)
    assert 1 <= int(response.headers["retry-after"]) <= 31 * 86_400
