import { createAdmin } from "manybase/admin";
import { createControl } from "manybase/control";
import { check, equal, fails, unique, until } from "../context.mjs";

async function signedIn(t, options = {}) {
  const control = createControl({ url: t.url, ...options });
  await control.platformLogin(t.setup.platform);
  return control;
}

export async function the_admin_plane(t) {
  const admin = createAdmin({ url: t.url, token: t.setup.adminKey });
  const name = unique("c");
  await admin.createCollection({ name });
  await admin.setPolicy(name, { read: {}, update: { filter: { ownerId: "$auth.uid" } } });
  equal((await admin.getPolicy(name)).source, "own");
  check((await admin.listCollections()).collections.includes(name), "the collection is listed");
  const { document } = await admin.adminCreateDocument(name, { n: 1 });
  equal((await admin.adminUpdateDocument(name, document.id, { $inc: { n: 1 } })).document.n, 2);
  const headers = { "x-service-explain": "1" };
  let requestId;
  const onResponse = (response) => (requestId = response.headers.get("x-request-id"));
  const listed = await admin.adminListDocuments(
    name,
    { filter: { n: { $gte: 2 } }, limit: 5 },
    { headers, onResponse },
  );
  equal([listed.total, listed.documents[0].id, listed.explain.documentsExamined], [1, document.id, 1]);
  check(requestId?.length > 8, "the response's headers");
  const error = await fails(admin.setPolicy(name, { raed: {} }), "VALIDATION", 400);
  check(error.details.length > 0, "details");
  await admin.deleteCollection(name);
  await fails(admin.getPolicy(name), "NOT_FOUND", 404);
  await fails(createAdmin({ url: t.url, token: "mb_sk_wrong.key" }).listCollections(), "UNAUTHENTICATED", 401);
}

export async function the_control_plane(t) {
  await fails(createControl({ url: t.url }).listProjects(), "UNAUTHENTICATED", 401);
  equal((await createControl({ url: t.url }).setupStatus()).needsSetup, false);
  const control = await signedIn(t);
  equal((await control.me()).user.email, t.setup.platform.email);
  const { projects } = await control.listProjects();
  check(
    projects.some((one) => one.id === t.project),
    "the project is listed",
  );
  const admin = createAdmin({ url: t.url, token: control.projectTokens(t.project) });
  check((await admin.listRoles()).roles.length >= 4, "roles by an exchanged token");
  const { project } = await control.createProject({ name: unique("Project ") });
  await control.updateProject(project.id, { color: "teal" });
  equal((await control.getProject(project.id)).project.color, "teal");
  await control.deleteProject(project.id);
  await fails(control.getProject(project.id), "NOT_FOUND", 404);
}

export async function control_tokens_are_renewed(t) {
  const control = await signedIn(t);
  const now = Date.now;
  try {
    Date.now = () => now() + 24 * 3_600_000;
    const admin = createAdmin({ url: t.url, token: control.projectTokens(t.project) });
    const [me, roles] = await Promise.all([control.me(), admin.listRoles()]);
    equal([me.user.email, roles.roles.length > 0], [t.setup.platform.email, true]);
  } finally {
    Date.now = now;
  }
}

export async function a_session_that_ends_elsewhere(t) {
  let ended = 0;
  const here = await signedIn(t, { onSession: (event) => (ended += event === "revoked") });
  const there = await signedIn(t);
  await there.platformRevokeOtherSessions();
  await until(
    () =>
      here.me().then(
        () => false,
        (error) => error.status === 401,
      ),
    "refused",
  );
  equal(ended, 1);
  await there.signOut();
  await fails(there.me(), "UNAUTHENTICATED", 401);
}

export async function every_operation_has_a_method(t) {
  const { paths } = await (await fetch(`${t.url}/api/v1/openapi.json`)).json();
  const clients = { admin: createAdmin({ url: t.url, token: "x" }), control: createControl({ url: t.url }) };
  for (const [path, operations] of Object.entries(paths)) {
    const plane = path.split("/")[3];
    if (!clients[plane]) continue;
    for (const operation of Object.values(operations)) {
      // A browser is redirected by these.
      if (operation.responses["302"]) continue;
      check(typeof clients[plane][operation.operationId] === "function", `${operation.operationId} is missing`);
    }
  }
}
