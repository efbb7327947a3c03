// What an editor takes. CodeMirror itself is not imported here.

export type CodeLanguage = "json" | "javascript" | "cel" | "graphql" | "text";

/** A mistake in the text, counted from 1. Without a column it is about the whole line. */
export interface CodeProblem {
  line: number;
  column?: number;
  message: string;
}

/** A word that the editor offers while someone types. */
export interface Suggestion {
  label: string;
  detail?: string;
}
