"""A server with billing, and operators who pin limits of users."""

from support.client import PlatformUser, Project, ok

# The first user of the server is an operator.
SETTINGS = {
    "SERVICE_BILLING": "on",
    "SERVICE_BILLING_SECRET_KEY": "sk_test_x",
    "SERVICE_OPERATORS": "boss@example.com, on",
}


def pin(operator: PlatformUser, user: PlatformUser, **limits) -> None:
    """Pins limits of the user; None is unlimited."""
    response = operator.put(f"/control/admin/users/{user.id}/limits", {"limits": limits})
    assert response.status_code in (200, 204), response.text


def create(user: PlatformUser, name: str = "Shop"):
    return user.post("/control/projects", {"name": name})


def create_environment(user: PlatformUser, root: Project, label: str):
    return user.post(f"/control/projects/{root.id}/environments", {"environment": label})


def listed(user: PlatformUser) -> set[str]:
    """Returns the ids of the projects of which the user is a member."""
    return {project["id"] for project in ok(user.get("/control/projects"))["projects"]}
