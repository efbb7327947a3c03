// Steps that a test runs in two tabs of one browser, which share localStorage.
import { createClient } from "manybase";
import { password, until } from "../context.mjs";

let client;
const events = [];

export async function open({ url, project }) {
  client = createClient({ url, project });
  client.auth.onChange((user, event) => events.push(event));
  await client.auth.ready;
}
export const register = (_, email) => client.auth.register({ email, password });
export const login = async (_, email) => void (await client.auth.login({ email, password }));
export const logout = () => client.auth.logout();
export const user = () => client.auth.user?.email ?? null;
export const seen = () => events;
export const waitFor = (_, email) => until(() => (client.auth.user?.email ?? null) === email, `the user is ${email}`);
export const sessions = async () => (await client.auth.sessions.list()).length;
/** The tab believes that its token has expired, and sends some calls at once. */
export async function expire() {
  const now = Date.now;
  Date.now = () => now() + 14 * 60_000;
  try {
    return await Promise.all([1, 2, 3].map(() => client.auth.sessions.list().then((list) => list.length)));
  } finally {
    Date.now = now;
  }
}
export async function popup({ redirect }, provider) {
  const { user: signedIn } = await client.auth.oauthPopup(provider, { redirect });
  return { id: signedIn.id, stored: client.auth.user.id };
}
export const complete = (_, options) =>
  client.auth.completeOauth(options).then(
    (got) => got?.user.id ?? null,
    (error) => error.message,
  );
export const oauthUrl = ({ redirect }, provider) => client.auth.oauthUrl(provider, { redirect });
