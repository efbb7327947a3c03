import { EditorView } from "@codemirror/view";

/**
 * Text typed over a selection. The browser would put it into an element that keeps the colour of what it replaces by
 * an inline style, which the policy of the page forbids; so the editor replaces it by itself.
 */
export const typingOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { from, to, empty } = view.state.selection.main;
    if (event.inputType !== "insertText" || event.data === null || empty || view.composing || view.state.readOnly) return false;
    const text = event.data;
    const insert = () =>
      view.state.update({
        changes: { from, to, insert: text },
        selection: { anchor: from + text.length },
        userEvent: "input.type",
        scrollIntoView: true,
      });
    // As for text that the browser inserts: brackets around the selection are one of the handlers.
    const handled = view.state.facet(EditorView.inputHandler).some((handler) => handler(view, from, to, text, insert));
    if (!handled) view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});
