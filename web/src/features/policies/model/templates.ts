// Policies to start from, and what they ask for.
import { ownerCondition, printFilter, setCondition, type Rows } from "./filter";
import type { JsonObject } from "./json";

export type TemplateName = "closed" | "owner" | "shared" | "readers" | "visitors" | "published" | "team" | "all";

export interface TeamAnswers {
  /** The field of a document that names its team. */
  field: string;
  /** The set of the caller's teams. */
  readers: string;
  /** The set of the teams in which the caller may write; the same where all members do. */
  writers: string;
}
export interface Answers {
  /** Of `published`: the field that is true. */
  published: string;
  team: TeamAnswers;
}

const rule = (rows: Rows): JsonObject => ({ filter: printFilter(rows) });

/** The policy of a template. */
export function policyOf(name: TemplateName, { published, team }: Answers): JsonObject {
  const own = rule([[ownerCondition()]]);
  switch (name) {
    case "closed":
      return {};
    case "owner":
      return { read: own, list: own, create: {}, update: own, delete: own };
    case "shared":
      return { read: {}, list: {}, create: {}, update: own, delete: own };
    case "readers":
      return { read: {}, list: {} };
    case "visitors":
      return { read: {}, list: {}, create: {}, update: own, delete: own, public: { read: {}, list: {} } };
    case "published": {
      const isPublished = { path: published, operator: "is", operand: { kind: "boolean", value: true } } as const;
      const open = rule([[isPublished]]);
      const either = rule([[isPublished, ownerCondition()]]);
      return { read: either, list: either, create: {}, update: own, delete: own, public: { read: open, list: open } };
    }
    case "team": {
      const seen = rule([[setCondition(team.field, team.readers)]]);
      const written = rule([[setCondition(team.field, team.writers)]]);
      // A filter of create is matched by the new document: it may only belong to a team of its writer.
      return { read: seen, list: seen, create: written, update: { ...written, immutableFields: [team.field] }, delete: written };
    }
    case "all":
      return { read: {}, list: {}, create: {}, update: {}, delete: {} };
  }
}
