"""A server with billing: its settings, its operator, and users whose limits are pinned."""

from .client import PlatformUser, Project, ok

OPERATOR = "operator@example.com"
SECRET_KEY = "sk_test_hidden_from_everything"
BILLED = {"SERVICE_BILLING": "on", "SERVICE_BILLING_SECRET_KEY": SECRET_KEY, "SERVICE_OPERATORS": OPERATOR}


class Payer(PlatformUser):
    """A platform user whose limits the operator pins."""

    def __init__(self, operator: PlatformUser, **limits: int | None):
        super().__init__(operator.server)
        self.operator = operator
        if limits:
            self.pin(**limits)

    def pin(self, **limits: int | None) -> None:
        """Pins limits by their names, in place of those pinned before; None is unlimited."""
        ok(self.operator.put(f"/control/admin/users/{self.id}/limits", {"limits": limits}), 204)


def usage(project: Project) -> dict:
    return ok(project.admin.get("/admin/usage"))["usage"]


def plan_limit(limit: str, max: int, use: int, what: str) -> str:
    """The message of a refusal, for a user on the plan free."""
    return f"plan limit: {limit}: the plan Free allows {max} {what}, in use are {use}"
