"""What tests of the limits of projects do."""

from support.client import PlatformUser, Project, ok


def pin(operator: PlatformUser, user: PlatformUser, **limits) -> None:
    """Pins limits of the user; None is unlimited."""
    ok(operator.put(f"/control/admin/users/{user.id}/limits", {"limits": limits}), 204)


def create(user: PlatformUser, name: str = "Shop"):
    return user.post("/control/projects", {"name": name})


def create_environment(user: PlatformUser, root: Project, label: str):
    return user.post(f"/control/projects/{root.id}/environments", {"environment": label})


def listed(user: PlatformUser) -> set[str]:
    """Returns the ids of the projects of which the user is a member."""
    return {project["id"] for project in ok(user.get("/control/projects"))["projects"]}
