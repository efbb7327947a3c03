// What the screens read from the server, by key; and the clients of its planes.
import { QueryClient, queryOptions } from "@tanstack/react-query";
import { ManybaseError, isError } from "manybase";
import { createAdmin, type AdminMethods } from "manybase/admin";
import { loggedFetch } from "../lib/call-log";
import { permissionsOf } from "../lib/permissions";
import { serverUrl } from "../lib/server";
import { control } from "../session";

const retryable = (error: unknown) => isError(error) && error.code === "NETWORK";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 5_000, retry: (count, error) => count < 1 && retryable(error) },
    mutations: { retry: false },
  },
});

interface Opened {
  admin: AdminMethods;
  tokens: (refused?: string) => string | Promise<string>;
}
const opened = new Map<string, Opened>();

function open(projectId: string): Opened {
  let one = opened.get(projectId);
  if (!one) {
    const tokens = control.projectTokens(projectId);
    one = { tokens, admin: createAdmin({ url: serverUrl, token: tokens, fetch: loggedFetch }) };
    opened.set(projectId, one);
  }
  return one;
}

/** The administration of a project, as the person who is signed in. */
export const adminOf = (projectId: string): AdminMethods => open(projectId).admin;

export const setupStatus = queryOptions({
  queryKey: ["setup-status"],
  queryFn: ({ signal }) => control.setupStatus({ signal }),
  staleTime: 60_000,
});

export const me = queryOptions({
  queryKey: ["me"],
  queryFn: ({ signal }) => control.me({ signal }),
  staleTime: 60_000,
});

export const projects = queryOptions({
  queryKey: ["projects"],
  queryFn: async ({ signal }) => (await control.listProjects({ signal })).projects,
});

/** The project of an address; fails like a read of one that does not exist. */
export async function projectOf(slug: string) {
  const find = (list: Awaited<ReturnType<typeof control.listProjects>>["projects"]) =>
    list.find((one) => one.slug === slug);
  const known = find(await queryClient.ensureQueryData(projects));
  const found = known ?? find(await queryClient.fetchQuery({ ...projects, staleTime: 0 }));
  if (!found) throw new ManybaseError(404, "NOT_FOUND", "this project does not exist");
  return found;
}

/** What the person may do in a project. */
export const permissions = (projectId: string) =>
  queryOptions({
    queryKey: [projectId, "permissions"],
    queryFn: async () => {
      try {
        return permissionsOf(await open(projectId).tokens());
      } catch (error) {
        // There are no tokens of a suspended project.
        if (isError(error, "PROJECT_SUSPENDED")) return [];
        throw error;
      }
    },
    staleTime: 60_000,
  });
