import { expect, test } from "vitest";
import { callbackOf, isOidc, methodsOf, oidcNamed } from "./providers";

const stored = (provider: string) => ({ provider, clientId: "id", enabled: true, clientSecret: { configured: true } });

test("well-known providers come first", () => {
  const providers = [stored("oidc-zeta"), stored("github"), stored("oidc-acme")];
  const methods = methodsOf({ providers, allowedRedirects: [], baseUrl: "" });
  expect(methods.map(({ provider, stored: one }) => [provider, one !== undefined])).toEqual([
    ["google", false],
    ["github", true],
    ["oidc-acme", true],
    ["oidc-zeta", true],
  ]);
});

test.each([
  ["acme", "oidc-acme"],
  ["a-1", "oidc-a-1"],
  ["Acme", undefined],
  ["1a", undefined],
  ["a".repeat(33), undefined],
  ["", undefined],
])("the name %s", (name, provider) => expect(oidcNamed(name)).toBe(provider));

test("callbacks", () => {
  expect(callbackOf("https://example.com/backend/", "oidc-acme")).toBe(
    "https://example.com/backend/api/v1/auth/oauth/oidc-acme/callback",
  );
  expect([isOidc("oidc-acme"), isOidc("google")]).toEqual([true, false]);
});
