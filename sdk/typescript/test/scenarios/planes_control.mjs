// Every family of operations of the control plane by its methods, with what it refuses. Not in pages.
import { createAdmin } from "manybase/admin";
import { check, equal, fails, password, paths, totp, unique, watchedFetch } from "../context.mjs";

export async function accounts_of_the_platform(t) {
  const control = t.control();
  const email = `${unique("dev")}@example.com`;
  await fails(control.platformLogin({ email, password }), "INVALID_CREDENTIALS", 401);
  await control.platformRegister({ email, password });
  await fails(control.platformRegister({ email, password }), "EMAIL_TAKEN", 409);
  equal(paths(await fails(control.platformRegister({ email: "none", password }), "VALIDATION", 400)), ["/email"]);
  equal(paths(await fails(control.platformLogin({ email, password, more: 1 }), "VALIDATION", 400)), ["/more"]);
  await control.platformRequestPasswordReset({ email: "unknown@example.com" });
  const token = await t.mailed(email, "/verify-email");
  await control.platformVerifyEmail({ token });
  await control.platformRequestVerification({ email });
  await fails(control.platformVerifyEmail({ token }), "VALIDATION", 400);
  await control.platformLogin({ email, password });
  const { user, memberships } = await control.me();
  equal([user.emailVerified, memberships, (await control.platformListIdentities()).identities], [true, [], []]);
  await control.platformRequestPasswordReset({ email });
  const reset = await t.mailed(email, "/reset-password");
  await control.platformResetPassword({ token: reset, password: "a staple of batteries" });
  await fails(control.me(), "UNAUTHENTICATED", 401);
  await control.platformLogin({ email, password: "a staple of batteries" });
  equal((await control.me()).user.email, email);
  await control.updateMe({ notifyLimits: false });
  await fails(control.updateMe({ plan: "all" }), "VALIDATION", 400);
}

export async function the_second_factor_of_the_platform(t) {
  const control = await t.platformUser();
  const { secret } = await control.platformEnrollTotp();
  const { recoveryCodes } = await control.platformActivateTotp({ code: await totp(secret) });
  equal(recoveryCodes.length, 10);
  const other = t.control();
  const { mfaRequired, mfaToken } = await other.platformLogin({ email: control.email, password });
  equal(mfaRequired, true);
  await fails(other.me(), "UNAUTHENTICATED", 401);
  await fails(other.platformVerifySecondFactor({ mfaToken, code: "000000" }), "INVALID_CREDENTIALS", 401);
  await other.platformVerifySecondFactor({ mfaToken, code: recoveryCodes[0] });
  equal((await other.me()).user.mfaEnabled, true, "its tokens are taken over");
  await other.platformDisableTotp({ code: recoveryCodes[1] });
  const { sessions } = await other.platformListSessions();
  equal(sessions.map((one) => one.current).sort(), [false, true]);
  await other.platformRevokeSession(sessions.find((one) => !one.current).id);
  await fails(control.me(), "UNAUTHENTICATED", 401);
}

export async function a_wrong_password_or_code_is_sent_once(t) {
  const watched = watchedFetch();
  const control = await t.platformUser({ fetch: watched });
  const wrong = { current: "a staple of batteries", password: "a staple of batteries" };
  await fails(control.platformChangePassword(wrong), "INVALID_CREDENTIALS", 401);
  await control.platformEnrollTotp();
  await fails(control.platformActivateTotp({ code: "000000" }), undefined);
  equal([watched.count("/auth/password"), watched.count("/totp/activate"), watched.count("/auth/refresh")], [1, 1, 0]);
  equal((await control.me()).user.email, control.email, "still signed in");
}

export async function projects_are_changed_suspended_and_deleted(t) {
  const control = await t.platformUser();
  const { project } = await control.createProject({ name: "Shop" });
  equal([project.role, project.status, project.parentId], ["Owner", "active", null]);
  await control.updateProject(project.id, {
    name: "Store",
    icon: "🛒",
    color: "red",
    settings: { hideRegistered: true },
  });
  const { project: read } = await control.getProject(project.id);
  equal([read.name, read.icon, read.color, read.settings.hideRegistered], ["Store", "🛒", "red", true]);
  equal(paths(await fails(control.updateProject(project.id, { color: "blurple" }), "VALIDATION", 400)), ["/color"]);
  const tokens = control.projectTokens(project.id);
  const admin = createAdmin({ url: t.url, token: tokens });
  await control.suspendProject(project.id);
  await fails(admin.listCollections(), "PROJECT_SUSPENDED", 403);
  await fails(control.createProjectToken(project.id), "PROJECT_SUSPENDED", 403);
  await control.resumeProject(project.id);
  equal((await admin.listCollections()).collections, []);
  const stranger = await t.platformUser();
  await fails(stranger.getProject(project.id), "NOT_FOUND", 404);
  await fails(stranger.deleteProject(project.id), "NOT_FOUND", 404);
  await control.deleteProject(project.id);
  equal((await control.listProjects()).projects, []);
}

export async function members_and_invites(t) {
  const [owner, other] = [await t.platformUser(), await t.platformUser()];
  const { project } = await owner.createProject({ name: "Team" });
  const { member } = await owner.addMember(project.id, { email: other.email, role: "Viewer" });
  equal([member.status, member.userId], ["active", other.userId]);
  equal((await other.getProject(project.id)).project.role, "Viewer");
  const invited = `${unique("new")}@example.com`;
  equal((await owner.addMember(project.id, { email: invited, role: "Editor" })).member.status, "pending");
  equal(
    (await owner.listMembers(project.id)).members.map((one) => one.role),
    ["Owner", "Viewer", "Editor"],
  );
  await fails(other.addMember(project.id, { email: invited, role: "Owner" }), "FORBIDDEN", 403);
  const admin = createAdmin({ url: t.url, token: other.projectTokens(project.id) });
  await fails(admin.createCollection({ name: "books" }), "FORBIDDEN", 403);
  await owner.updateMember(project.id, other.userId, { role: "Editor" });
  await admin.createCollection({ name: "books" });
  await fails(owner.updateMember(project.id, owner.userId, { role: "Viewer" }), "CONFLICT", 409);
  await fails(owner.updateMember(project.id, other.userId, { role: "none" }), "VALIDATION", 400);
  await owner.cancelInvite(project.id, invited);
  await fails(owner.cancelInvite(project.id, invited), "NOT_FOUND", 404);
  await owner.removeMember(project.id, other.userId);
  await fails(other.getProject(project.id), "NOT_FOUND", 404);
  const accept = { token: "wrong", password };
  equal(paths(await fails(t.control().acceptInvite(accept), "VALIDATION", 400)), ["/token"]);
}

export async function environments_and_promotion(t) {
  const control = await t.platformUser();
  const { project: root } = await control.createProject({ name: "Shop" });
  const { project: staging } = await control.createEnvironment(root.id, { environment: "staging", color: "teal" });
  equal([staging.parentId, staging.environment, staging.slug], [root.id, "staging", `${root.slug}-staging`]);
  await fails(control.createEnvironment(root.id, { environment: "staging" }), "CONFLICT", 409);
  await fails(control.createEnvironment(root.id, { environment: "production" }), "VALIDATION", 400);
  const admin = createAdmin({ url: t.url, token: control.projectTokens(staging.id) });
  await admin.createCollection({ name: "books" });
  const between = { fromProjectId: staging.id, toProjectId: root.id };
  const dry = await control.promote(between, { dryRun: "1" });
  equal([dry.plan.summary.create, dry.applied], [1, undefined]);
  equal((await control.promote(between)).applied, true);
  const production = createAdmin({ url: t.url, token: control.projectTokens(root.id) });
  equal((await production.listCollections()).collections, ["books"]);
  equal((await control.promote(between)).plan.summary.create, 0, "it is there already");
  await fails(control.deleteProject(root.id), "CONFLICT", 409);
  const { project: stranger } = await control.createProject({ name: "Another" });
  await fails(control.promote({ fromProjectId: stranger.id, toProjectId: root.id }), undefined, 400);
}

export async function connections_and_transfers(t) {
  const [owner, other] = [await t.platformUser(), await t.platformUser()];
  const { project } = await owner.createProject({ name: "Given" });
  const [kind] = (await owner.listConnectionKinds()).kinds;
  const body = { kind: kind.kind, name: "ours", config: { owner: "acme" }, secrets: { installationId: "7" } };
  const { connection } = await owner.createConnection(body);
  equal([connection.scope.type, connection.secrets.installationId], ["org", { configured: true }]);
  await fails(owner.createConnection({ ...body, name: "OURS" }), "CONFLICT", 409);
  equal(paths(await fails(owner.createConnection({ ...body, name: "x", config: { none: 1 } }), "VALIDATION", 400)), [
    "/config/none",
  ]);
  await owner.createProjectConnection(project.id, { ...body, name: "its own" });
  equal(
    (await owner.listProjectConnections(project.id)).connections.map((one) => one.name),
    ["its own", "ours"],
  );
  await owner.updateConnection(connection.id, { name: "renamed" });
  await fails(other.updateConnection(connection.id, { name: "mine" }), "NOT_FOUND", 404);
  equal(
    (await owner.listConnections()).connections.map((one) => one.name),
    ["renamed"],
  );
  await fails(owner.offerTransfer(project.id, { userId: other.userId }), undefined, 400);
  await owner.addMember(project.id, { email: other.email, role: "Owner" });
  await owner.offerTransfer(project.id, { userId: other.userId });
  await owner.withdrawTransfer(project.id);
  await fails(other.acceptTransfer(project.id), "NOT_FOUND", 404);
  await owner.offerTransfer(project.id, { userId: other.userId });
  await other.acceptTransfer(project.id);
  const { organizations } = await other.me();
  equal((await owner.getProject(project.id)).project.organizationId, organizations[0].id);
  await owner.deleteConnection(connection.id);
  await fails(owner.deleteConnection(connection.id), "NOT_FOUND", 404);
}

export async function operations_of_operators_are_refused_to_others(t) {
  const control = await t.platformUser();
  for (const call of [
    () => control.listOperators(),
    () => control.addOperator({ email: control.email }),
    () => control.revokeOperator(control.email),
    () => control.listPlatformUsers({ limit: 1 }),
    () => control.listDeadJobs({ limit: 1 }),
    () => control.retryDeadJob("none"),
    () => control.discardDeadJob("none"),
    () => control.listInstanceAudit({ limit: 1 }),
  ]) {
    const error = await fails(call());
    check([403, 404].includes(error.status) && error.requestId?.length > 8, `${call}: ${error.stack}`);
  }
  const anonymous = t.control();
  await fails(anonymous.listOperators(), "UNAUTHENTICATED", 401);
  equal((await anonymous.setupStatus()).needsSetup, false);
}
