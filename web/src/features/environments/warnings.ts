import type { ProjectWarning } from "manybase/control";

/** The warnings of a new environment: those of parts that were not copied, then those of its own database. */
export function partedWarnings(warnings: readonly ProjectWarning[]): [ProjectWarning[], ProjectWarning[]] {
  const notCopied = (warning: ProjectWarning) => warning.code === "not-copied";
  return [warnings.filter(notCopied), warnings.filter((warning) => !notCopied(warning))];
}
