// A folder of configuration (docs/configuration.md, The bundle) as the document that an import takes.
import { exactJson, type Fields } from "../../lib/json";
import type { ConfigDocument } from "../plan/plan";

const wholes: Record<string, keyof ConfigDocument> = {
  "variables.json": "variables",
  "policy-sets.json": "policySets",
  "roles.json": "roles",
  "enduser-roles.json": "enduserRoles",
  "oauth.json": "oauth",
  "settings.json": "settings",
};
const folders = ["collections", "functions", "integrations", "webhooks", "vectors", "buckets"] as const;

/** Of files by their addresses, the parts after the folder of the bundle. */
const inside = (path: string): string => path.slice(path.lastIndexOf("/manybase/") + "/manybase/".length);

/** The document of a bundle, whose files are given as text by their addresses. */
export function documentOf(files: Readonly<Record<string, string>>): ConfigDocument {
  const texts = new Map(Object.entries(files).map(([path, text]) => [inside(path), text]));
  const read = (path: string): Fields => exactJson.parse(texts.get(path) ?? "{}") as Fields;
  const document: Fields = { ...read("meta.json") };
  for (const [file, section] of Object.entries(wholes)) if (texts.has(file)) document[section] = read(file);
  for (const folder of folders) {
    const entries = [...texts.keys()].filter((path) => path.startsWith(`${folder}/`) && path.endsWith(".json")).sort();
    if (entries.length === 0) continue;
    document[folder] = entries.map((path) => {
      const { codeFile, ...entry } = read(path);
      return typeof codeFile === "string" ? { ...entry, code: texts.get(`${folder}/${codeFile}`) } : entry;
    });
  }
  return document as ConfigDocument;
}
