// What the screens of a sign-in share while it lasts; nothing of it is stored.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ownPath } from "../../lib/paths";
import { basePath, root, serverUrl } from "../../lib/server";
import { session, type PasswordAccepted } from "../../session";

interface Flow {
  email: string;
  mfaToken: string | undefined;
  /** Shown above the sign-in form. */
  notice: string | undefined;
}
export const flow: Flow = { email: "", mfaToken: undefined, notice: undefined };

const begunKey = "manybase.provider";

/** The address that starts a provider's sign-in, which leads back to the sign-in page. */
export const providerAddress = (provider: string): string =>
  `${root}/api/v1/control/auth/oauth/${encodeURIComponent(provider)}/start?redirect=` +
  encodeURIComponent(`${serverUrl}/dashboard/sign-in`);

/** Remembers that this tab began a provider's sign-in: only then is the token of its address taken. */
export const rememberProvider = (redirect: string | undefined): void => {
  sessionStorage.setItem(begunKey, redirect ?? "/");
};

/** What a provider's sign-in has left in the address. Removes it from there. */
export function takeFragment(): { values: URLSearchParams; redirect: string | undefined } | undefined {
  const values = new URLSearchParams(location.hash.slice(1));
  if (![...values.keys()].some((name) => name.startsWith("mb_"))) return undefined;
  history.replaceState(history.state, "", location.pathname + location.search);
  const begun = sessionStorage.getItem(begunKey);
  sessionStorage.removeItem(begunKey);
  return begun === null ? undefined : { values, redirect: ownPath(begun) };
}

/** The path to show after the sign-in. The router's search holds what the address says, so it is checked here. */
export const useRedirect = (): string | undefined => ownPath(useSearch({ strict: false }).redirect);

/** Continues after a password was accepted: with the second factor, or where the person wanted to go. */
export function useContinue(): (response: PasswordAccepted) => Promise<void> {
  const navigate = useNavigate();
  const redirect = useRedirect();
  return async (response) => {
    if ("mfaRequired" in response) {
      flow.mfaToken = response.mfaToken;
      await navigate({ to: "/second-factor", search: redirect ? { redirect } : {} });
      return;
    }
    session.adopt(response);
    flow.email = "";
    flow.mfaToken = undefined;
    await navigate({ href: basePath + (redirect ?? "/") });
  };
}
