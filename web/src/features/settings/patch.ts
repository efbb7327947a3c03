import type { Project, ProjectPatch, SettingsPatch } from "manybase/control";
import type { Values } from "../../components/form/form";
import { parseSize } from "../../lib/size";
import { isColour } from "../../components/ui/tile";

/** The settings that are lists of lines. */
export const lists = ["allowedOrigins", "tokenClaims", "profileFields"] as const;
export const switches = ["hideRegistered", "rotateRefreshTokens", "requireTests"] as const;

/** The lines of a text that hold something. */
export const linesOf = (text = ""): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

/** Whether two lists hold the same, in any order: the server sorts some. */
const same = (a: readonly string[], b: readonly string[]) => [...a].sort().join("\n") === [...b].sort().join("\n");

/** What the values of the form change. REQUIRES: maxFileSize is a size. */
export function patchOf(project: Project, values: Values): ProjectPatch {
  const patch: ProjectPatch = {};
  const settings: SettingsPatch = {};
  const name = values["name"] ?? "";
  if (name !== project.name) patch.name = name;
  const icon = values["icon"]?.trim() || null;
  if (icon !== project.icon) patch.icon = icon;
  const colour = isColour(values["color"]) ? values["color"] : null;
  if (colour !== project.color) patch.color = colour;
  const size = parseSize(values["maxFileSize"] ?? "");
  if (size !== project.maxFileSize) patch.maxFileSize = size;
  for (const one of lists) {
    const lines = linesOf(values[one]);
    if (!same(lines, project.settings[one] ?? [])) settings[one] = lines;
  }
  for (const one of switches) {
    const on = values[one] === "on";
    if (on !== (project.settings[one] ?? false)) settings[one] = on;
  }
  if (Object.keys(settings).length > 0) patch.settings = settings;
  return patch;
}
