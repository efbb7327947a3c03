"""Shared by the tests of the hosted pages."""

import re
import time
from urllib.parse import urlencode, urlsplit

import pyotp

from support.client import PASSWORD, EndUser, ok


def get(server, path, **headers):
    return server.http.get(path, headers={name.replace("_", "-"): value for name, value in headers.items()})


def login_address(project, redirect: str = "") -> str:
    query = {"project": project.id, **({"redirect": redirect} if redirect else {})}
    return f"{project.server.url}/auth/login?{urlencode(query)}"


def arrived(visitor, redirect: str) -> str:
    """Waits for the app; returns the refresh token in its fragment."""
    visitor.page.wait_for_url(redirect + "#**")
    fragment = urlsplit(visitor.page.url).fragment
    assert re.fullmatch(r"mb_refresh=[^&=#]+", fragment), fragment
    return fragment.removeprefix("mb_refresh=")


def refresh(project, token: str) -> dict:
    return ok(project.public().post("/auth/refresh", {"refreshToken": token}))


def second_factor(project, user: EndUser) -> pyotp.TOTP:
    """Switches the second factor on for a signed-in user, whose address is verified first."""
    ok(project.admin.patch(f"/admin/users/{user.id}", {"emailVerified": True}), 204)
    totp = pyotp.TOTP(ok(user.post("/auth/mfa/totp/enroll"))["secret"])
    totp.recovery = ok(user.post("/auth/mfa/totp/activate", {"code": totp.now()}))["recoveryCodes"]
    return totp


def next_code(totp: pyotp.TOTP) -> str:
    """Returns the code of the next step, which is valid already and not used yet."""
    return totp.at(time.time() + 30)


def sign_in_half(visitor, user: EndUser, address: str) -> None:
    visitor.open(address)
    visitor.fill(email=user.email, password=PASSWORD)
    visitor.press("Sign in")
    visitor.heading("One more step")


def users_of(project) -> list[dict]:
    return ok(project.admin.get("/admin/users", params={"limit": 1000}))["users"]


def channels(colour: str) -> list[float]:
    if colour.startswith("#"):
        return [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [float(part) / 255 for part in re.findall(r"[\d.]+", colour)[:3]]


def brightness(colour: str) -> float:
    """Returns the relative luminance (WCAG 2.2)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((brightness(one), brightness(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)
