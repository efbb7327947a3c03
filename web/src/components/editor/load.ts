// Loads the parts that hold CodeMirror, once each.
type EditorPart = typeof import("./code-mirror");
type DiffPart = typeof import("./merge");

let editor: Promise<EditorPart> | undefined;
let diff: Promise<DiffPart> | undefined;

/** The editor's part. A route calls it in its loader, so that the editor is there with the screen. */
export const loadEditor = (): Promise<EditorPart> =>
  (editor ??= import("./code-mirror").catch((error: unknown) => {
    editor = undefined;
    throw error;
  }));

/** The part that shows differences. */
export const loadDiff = (): Promise<DiffPart> =>
  (diff ??= import("./merge").catch((error: unknown) => {
    diff = undefined;
    throw error;
  }));
