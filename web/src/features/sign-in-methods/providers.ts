import type { OauthConfig, OauthProvider } from "manybase/admin";

const oidcPrefix = "oidc-";
/** Those that are offered before they are set up. */
const known = ["google", "github"];

export interface Method {
  provider: string;
  /** What is stored of it, once it is set up. */
  stored: OauthProvider | undefined;
}

/** The well-known providers, then those that the project has added, by name. */
export function methodsOf({ providers }: OauthConfig): Method[] {
  const others = providers.map(({ provider }) => provider).filter((one) => !known.includes(one));
  return [...known, ...others.sort()].map((provider) => ({
    provider,
    stored: providers.find((one) => one.provider === provider),
  }));
}

export const isOidc = (provider: string): boolean => provider.startsWith(oidcPrefix);

/** The provider that a name stands for; undefined where the name is not valid. */
export const oidcNamed = (name: string): string | undefined =>
  /^[a-z][a-z0-9-]{0,31}$/.test(name) ? oidcPrefix + name : undefined;

/** The address to register with a provider. */
export const callbackOf = (baseUrl: string, provider: string): string =>
  `${baseUrl.replace(/\/$/, "")}/api/v1/auth/oauth/${provider}/callback`;
