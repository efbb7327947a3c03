// The roles that an expression begins with: `auth.role in ['author'] && …`.

const start = /^\s*auth\.role\s*(?:==\s*('(?:[^'\\])*')|in\s*\[\s*((?:'[^'\\]*'\s*,?\s*)+)\])\s*(?:&&\s*([\s\S]+))?$/;

/** Whether an expression has an operator outside brackets and texts that binds less than `&&`. */
function isLoose(expression: string): boolean {
  let depth = 0;
  let quote = "";
  for (let at = 0; at < expression.length; ++at) {
    const c = expression[at]!;
    if (quote) {
      if (c === "\\") ++at;
      else if (c === quote) quote = "";
    } else if (c === "'" || c === '"') quote = c;
    else if ("([{".includes(c)) ++depth;
    else if (")]}".includes(c)) --depth;
    else if (depth === 0 && (c === "?" || (c === "|" && expression[at + 1] === "|"))) return true;
  }
  return false;
}

/** The roles that an expression requires first, and its remaining condition. */
export function splitRoles(expression: string): { roles: string[]; rest: string } {
  const found = start.exec(expression);
  if (!found || isLoose(found[3] ?? "")) return { roles: [], rest: expression };
  const roles = [...(found[1] ?? found[2]!).matchAll(/'([^']*)'/g)].map(([, role]) => role!);
  return { roles, rest: found[3] ?? "" };
}

/** The expression that requires one of the roles, with the remaining condition. */
export function withRoles(expression: string, roles: readonly string[]): string {
  const { rest } = splitRoles(expression);
  if (roles.length === 0) return rest;
  const names = roles.map((role) => `'${role}'`);
  const asked = names.length === 1 ? `auth.role == ${names[0]}` : `auth.role in [${names.join(", ")}]`;
  if (!rest.trim()) return asked;
  return `${asked} && ${isLoose(rest) ? `(${rest})` : rest}`;
}
