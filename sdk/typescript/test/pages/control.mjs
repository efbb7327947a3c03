// Steps of the control plane's pages, whose session is in a cookie: a test runs them in tabs of the server's own origin.
import { createAdmin } from "manybase/admin";
import { createControl } from "manybase/control";
import { password } from "../context.mjs";

let control;
const events = [];

const onSession = (event, elsewhere) => events.push(elsewhere ? `${event} elsewhere` : event);

export function openControl({ url }) {
  control = createControl({ url, session: "cookie", onSession });
}
export const restoreControl = () => control.restore();
export const loginControl = async (_, email) => void (await control.platformLogin({ email, password }));
export const controlUser = () =>
  control.me().then(
    ({ user }) => user.email,
    (error) => error.code,
  );
export const controlEvents = () => events;
export const signOutControl = () => control.signOut();
export const completeControl = () => control.completeOauth({ unsolicited: true });
/** The roles of a project, by a token that the session is exchanged for. */
export async function rolesOf({ url, project }) {
  const admin = createAdmin({ url, token: control.projectTokens(project) });
  return (await admin.listRoles()).roles.length;
}
/** The tab believes that its token has expired, and sends some calls at once. */
export async function expireControl() {
  const now = Date.now;
  Date.now = () => now() + 14 * 60_000;
  try {
    return await Promise.all([1, 2, 3].map(controlUser));
  } finally {
    Date.now = now;
  }
}
