// The connections of a project with those of its organization, and those of the person's own organization.
import { queryOptions } from "@tanstack/react-query";
import type { Connection, ConnectionPatch, NewConnection } from "manybase/control";
import { projectChanged, queryClient } from "../../app/queries";
import { control } from "../../session";

/** Where connections are read and created. Each is changed and deleted by its id. */
export interface Source {
  /** Of a project; without it those of the person's own organization. */
  projectId?: string;
  list(): ReturnType<typeof connectionsOf>;
  create(body: NewConnection): Promise<unknown>;
  /** Reads again what shows them. */
  changed(): Promise<void>;
}

const area = "connections";

const connectionsOf = (key: readonly string[], read: (options: { signal: AbortSignal }) => Promise<{ connections: Connection[] }>) =>
  queryOptions({ queryKey: [...key, area], queryFn: async ({ signal }) => (await read({ signal })).connections });

export const projectSource = (projectId: string): Source => ({
  projectId,
  list: () => connectionsOf([projectId], (options) => control.listProjectConnections(projectId, options)),
  create: (body) => control.createProjectConnection(projectId, body),
  changed: () => projectChanged(projectId),
});

export const ownSource: Source = {
  list: () => connectionsOf([], (options) => control.listConnections(options)),
  create: (body) => control.createConnection(body),
  // The projects of the person show them too.
  changed: () => queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey.at(-1) === area }),
};

export const change = (id: string, patch: ConnectionPatch): Promise<void> => control.updateConnection(id, patch);
export const remove = (id: string): Promise<void> => control.deleteConnection(id);

/** The catalogue: it changes with the version of the server alone. */
export const connectionKinds = queryOptions({
  queryKey: ["connection-kinds"],
  queryFn: async ({ signal }) => (await control.listConnectionKinds({ signal })).kinds,
  staleTime: Infinity,
});
