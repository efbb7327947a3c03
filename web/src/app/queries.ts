// What the screens read from the server, by key; and the clients of its planes.
import { QueryClient, queryOptions } from "@tanstack/react-query";
import { ManybaseError, isError } from "manybase";
import { createAdmin, type AdminMethods } from "manybase/admin";
import { loggedFetch } from "../lib/call-log";
import { exactJson, inlineJson } from "../lib/json";
import { permissionsOf } from "../lib/permissions";
import { serverUrl } from "../lib/server";
import { control } from "../session";

const retryable = (error: unknown) => isError(error) && error.code === "NETWORK";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => count < 1 && retryable(error),
      // Keys hold filters, in which there may be large integers.
      queryKeyHashFn: inlineJson,
    },
    mutations: { retry: false },
  },
});

/** After a change that several screens of a project show: all that was read of it is read again. */
export const projectChanged = (projectId: string): Promise<void> => queryClient.invalidateQueries({ queryKey: [projectId] });

/** Between two looks at the permissions after refusals. */
const pauseMs = 10_000;

interface Opened {
  /** When the permissions were last read after a refusal. */
  asked: number;
  admin: AdminMethods;
  tokens: (refused?: string) => string | Promise<string>;
}
const opened = new Map<string, Opened>();

function open(projectId: string): Opened {
  let one = opened.get(projectId);
  if (!one) {
    const tokens = control.projectTokens(projectId);
    const fetch: typeof loggedFetch = async (...call) => {
      const response = await loggedFetch(...call);
      noteRefusal(projectId, response);
      return response;
    };
    one = { asked: -Infinity, tokens, admin: createAdmin({ url: serverUrl, token: tokens, fetch, json: exactJson }) };
    opened.set(projectId, one);
  }
  return one;
}

async function renewPermissions(projectId: string, one: Opened): Promise<void> {
  const { queryKey } = permissions(projectId);
  try {
    const before = queryClient.getQueryData(queryKey);
    const now = permissionsOf(await one.tokens(await one.tokens()));
    queryClient.setQueryData(queryKey, now);
    if (inlineJson(now) !== inlineJson(before ?? [])) await queryClient.invalidateQueries(projects);
  } catch {
    // Who is not a member any more gets no token, and nobody of a suspended project.
    await queryClient.invalidateQueries(projects);
  }
}

/** After a refusal the token is read again: the role of the person may have changed since it was made. */
export function noteRefusal(projectId: string, { status }: Response): void {
  const one = open(projectId);
  if (status !== 403 || Date.now() - one.asked < pauseMs) return;
  one.asked = Date.now();
  void renewPermissions(projectId, one);
}

/** The administration of a project, as the person who is signed in. */
export const adminOf = (projectId: string): AdminMethods => open(projectId).admin;

/** The tokens of a project: the current one, or another in place of a refused one. */
export const tokensOf = (projectId: string): Opened["tokens"] => open(projectId).tokens;

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
      // A token from before the suspension says what held then.
      const known = queryClient.getQueryData(projects.queryKey)?.find(({ id }) => id === projectId);
      if (known?.status === "suspended") return [];
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

/** The members of a project, and who is invited. */
export const membersOf = (projectId: string) =>
  queryOptions({
    queryKey: [projectId, "members"],
    queryFn: async ({ signal }) => (await control.listMembers(projectId, { signal })).members,
  });
