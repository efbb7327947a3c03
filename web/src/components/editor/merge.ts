// The part that holds CodeMirror's view of differences.
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { commonParts, languageOf } from "./code-mirror";
import type { CodeLanguage } from "./types";

const theme = EditorView.theme({
  "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { backgroundColor: "var(--bad-soft)" },
  "&.cm-merge-b .cm-changedLine, .cm-inlineChangedLine": { backgroundColor: "var(--good-soft)" },
  // A line below it: a darker ground would leave the colours of code without contrast.
  "&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText": {
    background: "none",
    boxShadow: "inset 0 -2px var(--bad)",
  },
  "&.cm-merge-b .cm-changedText": { background: "none", boxShadow: "inset 0 -2px var(--good)" },
  ".cm-collapsedLines": { background: "var(--sunken)", color: "var(--text-2)" },
  // In place of a sign that few fonts have.
  ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: '"…"' },
});

/** What is the same is folded, but for some lines around what differs. */
const collapseUnchanged = { margin: 3, minSize: 6 };

const partsOf = (label: string, language: Extension): Extension => [
  commonParts,
  theme,
  language,
  EditorState.readOnly.of(true),
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({ tabindex: "0", "aria-label": label, "aria-readonly": "true" }),
];

export interface DiffOptions {
  labels: { before: string; after: string; both: string };
  before: string;
  after: string;
  language: CodeLanguage;
  /** One below the other, for narrow screens. */
  unified: boolean;
}

/** Shows two texts in an element; gives what removes them. */
export async function createDiff(parent: HTMLElement, options: DiffOptions): Promise<() => void> {
  const { labels, before, after, unified } = options;
  const language = await languageOf(options.language);
  if (unified) {
    const view = new EditorView({
      parent,
      doc: after,
      extensions: [
        partsOf(labels.both, language),
        unifiedMergeView({ original: before, mergeControls: false, gutter: true, collapseUnchanged }),
      ],
    });
    return () => view.destroy();
  }
  const merged = new MergeView({
    parent,
    a: { doc: before, extensions: partsOf(labels.before, language) },
    b: { doc: after, extensions: partsOf(labels.after, language) },
    gutter: true,
    collapseUnchanged,
  });
  return () => merged.destroy();
}
