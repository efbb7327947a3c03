import { Copy } from "lucide-react";
import { useState } from "react";
import { adminOf } from "../../app/queries";
import { Selection as Selected } from "../../components/form/selection";
import { ErrorState } from "../../components/states/problem";
import { Button } from "../../components/ui/button";
import { Dialog } from "../../components/ui/dialog";
import { Menu, MenuItem } from "../../components/ui/menu";
import { Snippet } from "../../components/ui/snippet";
import { toast } from "../../components/ui/toast";
import { documentMessages as words } from "../../messages/documents";
import { documentsChanged, type List } from "./queries";
import { copyForms, documentsOf } from "./selected";

/** More do not fit into what other programs take from a clipboard. */
const maxCopied = 10_000;

interface SelectionProps {
  list: List;
  selected: ReadonlySet<string>;
  onChange(selected: ReadonlySet<string>): void;
  /** The columns of a copy as CSV. */
  columns: readonly string[];
  mayDelete: boolean;
}

/** How many documents are selected, and what copies and deletes them. */
export function Selection({ list, selected, onChange, columns, mayDelete }: SelectionProps) {
  const [reading, setReading] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  // Where the browser has no clipboard: the text to copy by hand.
  const [copied, setCopied] = useState<{ label: string; text: string }>();
  const count = selected.size;
  const copy = async (label: string, form: keyof typeof copyForms) => {
    setProblem(undefined);
    setReading(true);
    try {
      if (count > maxCopied) throw new Error(words.tooManyToCopy(maxCopied));
      const documents = await documentsOf(list, [...selected]);
      const text = copyForms[form](documents, columns);
      const written = await navigator.clipboard?.writeText(text).then(() => true, () => false);
      if (written) toast(words.copied(documents.length));
      else setCopied({ label, text });
    } catch (error) {
      setProblem(error);
    } finally {
      setReading(false);
    }
  };
  const { projectId, collection } = list;
  return (
    <>
      <Selected
        selected={selected}
        onChange={onChange}
        status={reading ? words.reading(count) : undefined}
        actions={
          <Menu
            trigger={
              <Button small>
                <Copy size={14} aria-hidden />
                {words.copy}
              </Button>
            }
          >
            <MenuItem onClick={() => void copy(words.panel.json, "json")}>{words.copyJson}</MenuItem>
            <MenuItem onClick={() => void copy(words.csv, "csv")}>{words.copyCsv}</MenuItem>
          </Menu>
        }
        remove={mayDelete ? (id) => adminOf(projectId).adminDeleteDocument(collection, id) : undefined}
        onRemoved={() => documentsChanged(projectId, collection)}
        words={words}
      >
        {words.removeManyText}
      </Selected>
      {problem !== undefined && <ErrorState error={problem} />}
      <Dialog open={copied !== undefined} onClose={() => setCopied(undefined)} title={words.selected(count)} description={words.copyByHand} wide>
        {copied && <Snippet title={words.selected(count)} forms={[copied]} />}
      </Dialog>
    </>
  );
}
