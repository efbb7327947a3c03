// What the screens of a sign-in share while it lasts; nothing of it is stored.
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ControlMethods } from "manybase/control";
import { ownPath } from "../../lib/paths";
import { basePath, serverUrl } from "../../lib/server";
import { control } from "../../session";

interface Flow {
  email: string;
  /** Completes the sign-in with a code, where the second factor is next. */
  verify: ((code: string) => Promise<unknown>) | undefined;
  /** Shown above the sign-in form. */
  notice: string | undefined;
}
export const flow: Flow = { email: "", verify: undefined, notice: undefined };

/** The search of a screen of the sign-in: the path to show after it. */
export interface Target {
  redirect?: string;
}

/** Opens a provider's sign-in, which comes back to the sign-in page. */
export function openProvider(provider: string, { redirect }: Target): void {
  const search = redirect ? `?redirect=${encodeURIComponent(redirect)}` : "";
  location.assign(control.oauthUrl(provider, { redirect: `${serverUrl}/dashboard/sign-in${search}` }));
}

/** Where the person wanted to go. The router's search holds what the address says, so it is checked here. */
export function useTarget(): Target {
  const redirect = ownPath(useSearch({ strict: false }).redirect);
  return redirect ? { redirect } : {};
}

/** Shows what the person wanted to see, once they are signed in. */
export function useArrive(): () => Promise<void> {
  const navigate = useNavigate();
  const { redirect = "/" } = useTarget();
  return async () => {
    flow.email = "";
    flow.verify = undefined;
    await navigate({ href: basePath + redirect });
  };
}

/** Asks for the second factor, which `verify` takes. */
export function useSecondFactor(): (verify: Flow["verify"]) => Promise<void> {
  const navigate = useNavigate();
  const search = useTarget();
  return async (verify) => {
    flow.verify = verify;
    await navigate({ to: "/second-factor", search });
  };
}

/** Signs in with a password, and continues with the second factor or where the person wanted to go. */
export function useSignIn(): (account: Parameters<ControlMethods["platformLogin"]>[0]) => Promise<void> {
  const arrive = useArrive();
  const askFactor = useSecondFactor();
  return async (account) => {
    const accepted = await control.platformLogin(account);
    if (!("mfaRequired" in accepted)) return arrive();
    const { mfaToken } = accepted;
    return askFactor((code) => control.platformVerifySecondFactor({ mfaToken, code }));
  };
}
