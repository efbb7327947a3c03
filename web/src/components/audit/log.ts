import { infiniteQueryOptions } from "@tanstack/react-query";
import { isError } from "manybase";
import type { AuditEntry } from "manybase/admin";

export interface AuditFilter {
  action?: string | undefined;
  target?: string | undefined;
  actor?: string | undefined;
}

/** An audit log: that of a project, or that of the server. */
export interface AuditSource {
  /** Begins the keys of what was read of it. */
  key: readonly unknown[];
  list(query: AuditFilter & { limit: number; skip: number }, options: { signal: AbortSignal }): Promise<{ entries: AuditEntry[] }>;
  /** Of its route, below /api/v1. */
  path: string;
  /** The method of the SDK. */
  sdk: string;
}

const pageSize = 50;

/** The entries by pages, newest first; a page is null where the server keeps no record. */
export const auditOf = ({ key, list }: AuditSource, { action, target, actor }: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: [...key, { action, target, actor }],
    queryFn: async ({ pageParam, signal }): Promise<AuditEntry[] | null> => {
      try {
        return (await list({ action, target, actor, limit: pageSize, skip: pageParam }, { signal })).entries;
      } catch (error) {
        if (isError(error, "NOT_FOUND")) return null;
        throw error;
      }
    },
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last?.length === pageSize ? pages.length * pageSize : undefined),
  });

/** The entries of all pages, each once: while pages are read, new ones move the others on. */
export function entriesOf(pages: readonly (AuditEntry[] | null)[]): AuditEntry[] {
  const seen = new Set<string>();
  return pages.flatMap((page) => page ?? []).filter(({ id }) => !seen.has(id) && seen.add(id));
}

/** Who did it: the address, else the id, else the kind. */
export const actorOf = ({ actor }: AuditEntry, system: string): string => actor.email || actor.id || actor.kind || system;
