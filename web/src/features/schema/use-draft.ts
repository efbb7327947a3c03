// The text that is edited, and what is done with it.
import { isError } from "manybase";
import type { SchemaCheck } from "manybase/admin";
import { useMemo, useState } from "react";
import { placeProblems, readJson, type SourceProblem } from "../../lib/json-source";
import { schemaMessages as words } from "../../messages/schema";
import { isObject, printJson } from "../../lib/json";
import type { Json } from "../../lib/schema-fields";
import { checkSchema, readSchema, saveSchema } from "./queries";

export interface Checked {
  /** The text that was checked. */
  text: string;
  result: SchemaCheck;
}

/** What a person should see before their text replaces the saved one. */
export interface Review {
  schema: Json;
  failing?: SchemaCheck;
  /** The text of another person, saved since this one was opened. */
  theirs?: string;
}

interface Of {
  projectId: string;
  collection: string;
  stored: Json | null;
  /** A text to begin with. */
  begun: Json | undefined;
  /** Whether the person may have stored documents checked. */
  mayCheck: boolean;
}

/** A schema as text: lists that are short stay on a line. */
const printSchema = (schema: Json): string => printJson(schema, { width: 80, lists: true });
const textOf = (schema: Json | null): string => (schema === null ? "" : printSchema(schema));

export function useDraft({ projectId, collection, stored, begun, mayCheck }: Of) {
  /** The text of a person, and the saved one that they began with. */
  const [draft, setDraft] = useState<{ text: string; base: string } | undefined>(
    begun && { text: printSchema(begun), base: textOf(stored) },
  );
  const [refused, setRefused] = useState<{ text: string; problems: SourceProblem[]; general?: unknown }>();
  const [checked, setChecked] = useState<Checked>();
  const [review, setReview] = useState<Review>();
  const [busy, setBusy] = useState<"save" | "check">();

  const saved = useMemo(() => textOf(stored), [stored]);
  const text = draft?.text ?? saved;
  const source = useMemo(() => readJson(text), [text]);
  const schema = source.problem === undefined && isObject(source.value) ? source.value : undefined;
  const current = refused?.text === text ? refused : undefined;
  const problems = useMemo((): SourceProblem[] => {
    if (!text) return [];
    if (source.problem) return [source.problem];
    if (!isObject(source.value)) return [{ line: 1, column: 1, message: words.notObject }];
    return current?.problems ?? [];
  }, [text, source, current]);

  const change = (next: string) => setDraft({ text: next, base: draft?.base ?? saved });

  const refuse = (error: unknown) => {
    const details = isError(error, "VALIDATION") ? error.details : [];
    setRefused({ text, problems: placeProblems(text, details), ...(details.length ? {} : { general: error }) });
  };

  /** Sends the text; `nevertheless` after the review. */
  const save = async (nevertheless = false): Promise<boolean> => {
    if (!schema || busy) return false;
    setBusy("save");
    setRefused(undefined);
    try {
      if (!nevertheless) {
        const result = mayCheck ? await checkSchema(projectId, collection, schema) : undefined;
        if (result) setChecked({ text, result });
        const now = textOf(await readSchema(projectId, collection));
        const theirs = draft && now !== draft.base && now !== text ? now : undefined;
        const failing = result?.failing ? result : undefined;
        if (failing || theirs !== undefined) {
          setReview({ schema, ...(failing ? { failing } : {}), ...(theirs === undefined ? {} : { theirs }) });
          return false;
        }
      }
      await saveSchema(projectId, collection, schema);
      setDraft(undefined);
      return true;
    } catch (error) {
      refuse(error);
      return false;
    } finally {
      setReview((open) => (nevertheless ? undefined : open));
      setBusy(undefined);
    }
  };

  const check = async (): Promise<void> => {
    if (!schema || busy) return;
    setBusy("check");
    setRefused(undefined);
    try {
      setChecked({ text, result: await checkSchema(projectId, collection, schema) });
    } catch (error) {
      refuse(error);
    } finally {
      setBusy(undefined);
    }
  };

  return {
    text,
    schema,
    problems,
    general: current?.general,
    changed: draft !== undefined && draft.text !== saved,
    checked,
    review,
    busy,
    change,
    changeTo: (next: Json) => change(printSchema(next)),
    discard: () => setDraft(undefined),
    closeReview: () => setReview(undefined),
    save,
    check,
  };
}

export type Draft = ReturnType<typeof useDraft>;
