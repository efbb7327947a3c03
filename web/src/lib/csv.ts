// Comma-separated values, as spreadsheets read them.
import { exactJson } from "./json";

/** Programs that compute would take these for the beginning of a formula. */
const formula = /^[=+\-@\t\r]/;

function cell(value: unknown): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? (formula.test(value) ? `'${value}` : value) : exactJson.stringify(value)!;
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows with their headings as CSV. Objects and lists are JSON; text that a spreadsheet would compute begins with an apostrophe. */
export const printCsv = (columns: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  [columns, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
