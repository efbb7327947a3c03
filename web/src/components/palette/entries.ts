// What the palette lists, and how a text finds it.
import type { LucideIcon } from "lucide-react";

export const groups = ["document", "screen", "collection", "function", "bucket", "user", "key", "action", "project"] as const;
export type Group = (typeof groups)[number];

export interface Entry {
  /** Of its own in its group. */
  key: string;
  group: Group;
  label: string;
  /** More about it, which a text finds too. */
  detail?: string;
  icon: LucideIcon;
  /** The server has found it for the text. */
  found?: boolean;
  run(): void;
}

/** So many of a group are listed; of what is listed without a text, all. */
const limit = 6;
const always: ReadonlySet<Group> = new Set(["screen", "action"]);
const unasked: ReadonlySet<Group> = new Set(["screen", "action", "project"]);

const plain = (text: string): string => text.toLowerCase().normalize("NFKC");

/** How well a text fits, from 0 on; undefined where it does not. */
export function rankOf(text: string, { label, detail = "", found }: Pick<Entry, "label" | "detail" | "found">): number | undefined {
  const wanted = plain(text).split(/\s+/).filter(Boolean);
  const name = plain(label);
  const all = `${name} ${plain(detail)}`;
  if (!wanted.every((word) => all.includes(word))) return found ? 2 : undefined;
  if (name.startsWith(wanted.join(" "))) return 0;
  return name.split(/[\s_\-/.@]+/).some((word) => word.startsWith(wanted[0]!)) ? 1 : 2;
}

/** The entries that fit a text, by group: groups and entries that fit best come first. */
export function entriesFor(text: string, entries: readonly Entry[]): [Group, Entry[]][] {
  if (!text.trim()) {
    return groups
      .filter((group) => unasked.has(group))
      .map((group): [Group, Entry[]] => [group, cut(group, entries.filter((one) => one.group === group))])
      .filter(([, list]) => list.length > 0);
  }
  const ranked = entries
    .map((entry) => ({ entry, rank: rankOf(text, entry) }))
    .filter((one): one is { entry: Entry; rank: number } => one.rank !== undefined)
    .sort((a, b) => a.rank - b.rank);
  const found = new Map<Group, Entry[]>();
  for (const { entry } of ranked) found.set(entry.group, [...(found.get(entry.group) ?? []), entry]);
  const best = new Map(ranked.toReversed().map(({ entry, rank }) => [entry.group, rank]));
  return [...found]
    .sort(([a], [b]) => best.get(a)! - best.get(b)! || groups.indexOf(a) - groups.indexOf(b))
    .map(([group, list]) => [group, cut(group, list)]);
}

const cut = (group: Group, list: Entry[]): Entry[] => (always.has(group) ? list : list.slice(0, limit));
