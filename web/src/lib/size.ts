const units = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const;

/** "50 MiB" where that is exact, else the bytes. */
export function exactSize(bytes: number): string {
  let value = bytes;
  let at = 0;
  while (value >= 1024 && value % 1024 === 0 && at < units.length - 1) {
    value /= 1024;
    at += 1;
  }
  return `${value} ${value === 1 && at === 0 ? "byte" : units[at]}`;
}

/** "1.5 GiB": rounded, for people. */
export function roundSize(bytes: number): string {
  let value = bytes;
  let at = 0;
  while (value >= 1024 && at < units.length - 1) {
    value /= 1024;
    at += 1;
  }
  return `${value.toLocaleString("en", { maximumFractionDigits: at === 0 ? 0 : 1 })} ${units[at]}`;
}

/** The bytes of "50 MiB", "1.5gib" or "1000"; undefined where the text is not a size of whole bytes. */
export function parseSize(text: string): number | undefined {
  const [, digits, unit] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const wanted = unit!.toLowerCase();
  const at = ["", "b", "byte"].includes(wanted) ? 0 : units.findIndex((one) => one.toLowerCase() === wanted);
  const bytes = Number(digits) * 1024 ** at;
  return at >= 0 && Number.isSafeInteger(bytes) ? bytes : undefined;
}
