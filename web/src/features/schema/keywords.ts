// What the editor offers while someone types.
import type { Suggestion } from "../../components/editor/code-editor";
import { schemaMessages } from "../../messages/schema";

/** The keywords of schemas that the server knows (docs/api.md). */
export const keywords: readonly Suggestion[] = Object.entries(schemaMessages.keywords).map(([label, detail]) => ({ label, detail }));
