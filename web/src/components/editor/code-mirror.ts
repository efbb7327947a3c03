// The part that holds CodeMirror. It is a chunk of its own: others load it by load.ts and import its types only.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, codeFolding, foldGutter, foldKeymap, indentOnInput, indentUnit } from "@codemirror/language";
import { lintGutter, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, Prec, type Extension } from "@codemirror/state";
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { look } from "./look";
import type { CodeLanguage, CodeProblem, Suggestion } from "./types";
import { typingOver } from "./typing";

const languages: Record<CodeLanguage, () => Promise<Extension>> = {
  json: async () => (await import("@codemirror/lang-json")).json(),
  javascript: async () => (await import("@codemirror/lang-javascript")).javascript({ typescript: true }),
  cel: async () => (await import("./stream-languages")).cel(),
  graphql: async () => (await import("./stream-languages")).graphql(),
  text: async () => [],
};

/** The rules of a language, each in a chunk of its own. */
export const languageOf = (language: CodeLanguage): Promise<Extension> => languages[language]();

/** What an editor and a view of differences have in common. */
export const commonParts: Extension = [
  lineNumbers(),
  codeFolding(),
  drawSelection(),
  bracketMatching(),
  indentUnit.of("  "),
  EditorState.tabSize.of(2),
  look,
];

export interface EditorOptions {
  label: string;
  describedBy: string;
  text: string;
  language: CodeLanguage;
  readOnly: boolean;
  /** Each change that the person makes. */
  onChange(text: string): void;
  /** Whether the key is taken: it is not where there is nothing to save or run. */
  onSave(): boolean;
  onRun(): boolean;
  suggestions(): readonly Suggestion[];
}

export interface Editor {
  setText(text: string): void;
  setReadOnly(readOnly: boolean): void;
  setProblems(problems: readonly CodeProblem[]): void;
  /** Without suggestions Escape is not taken by the list of them. */
  setCompleting(on: boolean): void;
  /** Puts the cursor at a problem and the focus into the editor. */
  goTo(problem: CodeProblem): void;
  destroy(): void;
}

function offsetOf(state: EditorState, { line, column }: CodeProblem): number {
  const found = state.doc.line(Math.min(Math.max(line, 1), state.doc.lines));
  return Math.min(found.from + Math.max((column ?? 1) - 1, 0), found.to);
}

function diagnosticsOf(state: EditorState, problems: readonly CodeProblem[]): Diagnostic[] {
  return problems.map((problem) => {
    const from = offsetOf(state, problem);
    const line = state.doc.lineAt(from);
    const to = problem.column === undefined ? line.to : (state.wordAt(from)?.to ?? Math.min(from + 1, line.to));
    return { from, to: Math.max(from, to), severity: "error", message: problem.message };
  });
}

const completions = (suggestions: () => readonly Suggestion[]): Extension =>
  autocompletion({
    override: [
      (context) => {
        const word = context.matchBefore(/[\w$][\w$.]*/);
        if (!word && !context.explicit) return null;
        const options = suggestions().map(({ label, detail }) => ({ label, ...(detail ? { detail } : {}) }));
        return options.length ? { from: word?.from ?? context.pos, options, validFor: /^[\w$.]*$/ } : null;
      },
    ],
  });

/** Makes an editor in an element. */
export async function createEditor(parent: HTMLElement, options: EditorOptions): Promise<Editor> {
  const access = new Compartment();
  const completing = new Compartment();
  const accessOf = (readOnly: boolean) => [
    EditorState.readOnly.of(readOnly),
    readOnly ? [] : [highlightActiveLine(), highlightActiveLineGutter()],
    EditorView.contentAttributes.of(readOnly ? { "aria-readonly": "true" } : {}),
  ];
  let replacing = false;
  const language = await languageOf(options.language);
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        commonParts,
        language,
        foldGutter(),
        history(),
        indentOnInput(),
        closeBrackets(),
        typingOver,
        search({ top: true }),
        highlightSelectionMatches(),
        lintGutter(),
        completing.of([]),
        access.of(accessOf(options.readOnly)),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          "aria-label": options.label,
          "aria-describedby": options.describedBy,
          // Checks of accessibility do not know that what can be edited has the focus.
          tabindex: "0",
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !replacing) options.onChange(update.state.doc.toString());
        }),
        Prec.highest(keymap.of([{ key: "Mod-s", run: options.onSave }, { key: "Mod-Enter", run: options.onRun }])),
        // Tab leaves the editor, as everywhere on a page; Mod-] and Mod-[ indent.
        keymap.of([
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...foldKeymap,
          ...completionKeymap,
        ]),
      ],
    }),
  });
  return {
    setText(text) {
      replacing = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
      replacing = false;
    },
    setReadOnly: (readOnly) => view.dispatch({ effects: access.reconfigure(accessOf(readOnly)) }),
    setProblems: (problems) => view.dispatch(setDiagnostics(view.state, diagnosticsOf(view.state, problems))),
    setCompleting: (on) =>
      view.dispatch({ effects: completing.reconfigure(on ? completions(options.suggestions) : []) }),
    goTo(problem) {
      view.dispatch({ selection: { anchor: offsetOf(view.state, problem) }, scrollIntoView: true });
      view.focus();
    },
    destroy: () => view.destroy(),
  };
}
