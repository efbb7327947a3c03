"""Stand-ins for providers that a test scripts: an issuer of OpenID Connect with keys of its own, and GitHub."""

import base64
import time
import urllib.parse

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from support.http_stand_in import StandInHandler, StandInServer
from support.ports import free_port


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Scripted:
    """An HTTP server. `answers` maps a path to the response: an object (as JSON), bytes (unchanged), a pair of
    status and object, or a function of the form's fields and the headers that returns one of these."""

    def __init__(self):
        self.answers = {}
        self.asked: list[tuple[str, dict, dict]] = []  # path, form, headers
        self.port = free_port()
        outer = self

        class Handler(StandInHandler):
            def do_GET(self):
                form = dict(urllib.parse.parse_qsl(self.body().decode()))
                headers = self.lower_headers()
                path = urllib.parse.urlparse(self.path).path
                outer.asked.append((path, form, headers))
                answer = outer.answers.get(path, (404, {}))
                if callable(answer):
                    answer = answer(form, headers)
                status, body = answer if isinstance(answer, tuple) else (200, answer)
                if isinstance(body, bytes):
                    self.reply(status, body, {"content-type": "application/json"})
                else:
                    self.reply(status, body)

            do_POST = do_GET

        self._server = StandInServer(Handler, self.port)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def times(self, path: str) -> int:
        return sum(1 for asked, _, _ in self.asked if asked == path)

    def close(self) -> None:
        self._server.close()


class Key:
    """A signing key of an issuer: RS256, ES256 or EdDSA."""

    def __init__(self, kid: str, algorithm: str = "ES256"):
        self.kid, self.algorithm = kid, algorithm
        make = {
            "RS256": lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048),
            "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
            "EdDSA": ed25519.Ed25519PrivateKey.generate,
        }
        self.private = make[algorithm]()

    @property
    def jwk(self) -> dict:
        public = self.private.public_key()
        jwk = {"kid": self.kid, "use": "sig", "alg": self.algorithm}
        if self.algorithm == "RS256":
            n, e = public.public_numbers().n, public.public_numbers().e
            return {**jwk, "kty": "RSA", "n": base64url(n.to_bytes(256, "big")), "e": base64url(e.to_bytes(3, "big"))}
        if self.algorithm == "ES256":
            x, y = (base64url(n.to_bytes(32, "big")) for n in (public.public_numbers().x, public.public_numbers().y))
            return {**jwk, "kty": "EC", "crv": "P-256", "x": x, "y": y}
        raw = public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        return {**jwk, "kty": "OKP", "crv": "Ed25519", "x": base64url(raw)}

    def sign(self, claims: dict, **header) -> str:
        return jwt.encode(claims, self.private, self.algorithm, headers={"kid": self.kid, **header})


class Issuer(Scripted):
    """`claims` are those of the next id_tokens, `change` a test's function on them, `token` is sent instead."""

    def __init__(self, client_id: str = "shop"):
        super().__init__()
        self.client_id = client_id
        self.key = Key("first")
        self.keys = [self.key]
        self.person = {"sub": "person-1", "email": "person@example.com", "email_verified": True, "name": "A Person"}
        self.change: dict = {}
        self.token = None
        self.nonce = ""
        self.discovery = {
            "issuer": self.url,
            "authorization_endpoint": self.url + "/authorize",
            "token_endpoint": self.url + "/token",
            "jwks_uri": self.url + "/keys",
            "userinfo_endpoint": self.url + "/userinfo",
        }
        self.answers = {
            "/.well-known/openid-configuration": lambda *_: self.discovery,
            "/keys": lambda *_: {"keys": [key.jwk for key in self.keys]},
            "/token": lambda *_: {"access_token": "at-1", "token_type": "Bearer", "id_token": self.id_token()},
            "/userinfo": lambda *_: self.person,
        }

    def id_token(self) -> str:
        now = int(time.time())
        claims = {
            "iss": self.url,
            "aud": self.client_id,
            "iat": now,
            "exp": now + 300,
            "nonce": self.nonce,
            **self.person,
            **self.change,
        }
        claims = {name: value for name, value in claims.items() if value is not None}
        return self.token(claims) if self.token else self.key.sign(claims)


class GithubStandIn(Scripted):
    """GitHub's endpoints below one address."""

    def __init__(self):
        super().__init__()
        self.person = {"id": 7001, "login": "octo", "name": "Octo Person"}
        self.emails = [{"email": "octo@example.com", "primary": True, "verified": True}]
        self.answers = {
            "/login/oauth/access_token": lambda *_: {"access_token": "gh-1", "token_type": "bearer"},
            "/api/v3/user": lambda *_: self.person,
            "/api/v3/user/emails": lambda *_: self.emails,
        }
