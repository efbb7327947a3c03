// Folders out of paths, what a file can be shown as, and what a caller may do in a bucket.
import type { Bucket } from "manybase/admin";
import type { StoredFile } from "manybase";
import { exactJson, isObject, type Fields } from "../../lib/json";
import { can } from "../../lib/permissions";
import { fileMessages } from "../../messages/files";

export interface Folder {
  path: string;
  name: string;
  /** It has no file, as far as is loaded, and can be deleted. */
  empty: boolean;
}

const below = (folder: string) => (folder ? `${folder}/` : "");
export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
export const pathIn = (folder: string, name: string): string => below(folder) + name;

/** The folders above a path and itself, from the outermost on. */
export function ancestorsOf(folder: string): { path: string; name: string }[] {
  const parts = folder.split("/").filter(Boolean);
  return parts.map((name, at) => ({ name, path: parts.slice(0, at + 1).join("/") }));
}

/** The files and the folders that are directly in `folder`. */
export function contentOf(folder: string, files: readonly StoredFile[], folders: readonly string[]) {
  const prefix = below(folder);
  const found = new Map<string, Folder>();
  const own: StoredFile[] = [];
  const add = (path: string, holds: boolean) => {
    const rest = path.slice(prefix.length);
    const at = rest.indexOf("/");
    const name = at < 0 ? rest : rest.slice(0, at);
    if (!name) return;
    const known = found.get(name);
    const empty = !holds && at < 0 && (known?.empty ?? true);
    found.set(name, { path: prefix + name, name, empty });
  };
  for (const file of files) {
    if (!file.path.startsWith(prefix)) continue;
    if (file.path.includes("/", prefix.length)) add(file.path, true);
    else own.push(file);
  }
  for (const path of folders) if (path.startsWith(prefix)) add(path, false);
  return { folders: [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), files: own };
}

const images = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"]);
const texts = /^(text\/|application\/(json|xml|javascript|x-ndjson|yaml|toml|sql)$|image\/svg\+xml$)|\+(json|xml)$/;

/** What a file is shown as. Markup, SVG among it, is shown as the text that it is. */
export function kindOf(contentType: string): "image" | "text" | "other" {
  const type = contentType.split(";")[0]!.trim().toLowerCase();
  if (images.has(type)) return "image";
  return texts.test(type) ? "text" : "other";
}

/** What the caller may do in a bucket, as far as that is known before a file is looked at. */
export interface Rights {
  list: boolean;
  upload: boolean;
  /** Metadata. */
  change: boolean;
  remove: boolean;
  folders: boolean;
  manage: boolean;
}

export function rightsIn({ rules }: Bucket, perms: readonly string[]): Rights {
  const manage = can(perms, "storage:manage");
  const ruled = rules !== undefined && !manage;
  const has = (...operations: string[]) => !ruled || operations.some((one) => one in rules);
  const write = can(perms, "storage:write");
  return {
    list: can(perms, "storage:read") && has("list"),
    upload: write && has("create", "update"),
    change: write && has("update"),
    remove: write && has("delete"),
    folders: write && !ruled,
    manage,
  };
}

/** The metadata that a text stands for; without one there is none. Throws an error with words for the person. */
export function metadataOf(text: string): Fields {
  const words = fileMessages.metadata;
  let value: unknown;
  try {
    value = exactJson.parse(text.trim() || "{}");
  } catch (error) {
    throw new Error(words.notJson((error as Error).message));
  }
  if (!isObject(value)) throw new Error(words.notObject);
  return value;
}
