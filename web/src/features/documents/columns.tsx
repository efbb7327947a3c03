import { DialogForm } from "../../components/form/dialog-form";
import { type Values } from "../../components/form/form";
import { CheckboxField } from "../../components/ui/checkbox";
import { Dialog } from "../../components/ui/dialog";
import { documentMessages as words } from "../../messages/documents";

interface ColumnsProps {
  fields: readonly string[];
  shown: readonly string[];
  /** The chosen ones; undefined for all. */
  onChange(columns: string[] | undefined): void;
  onClose(): void;
}

/** Chooses the columns of the grid. */
export function Columns({ fields, shown, onChange, onClose }: ColumnsProps) {
  const apply = async (values: Values) => {
    const chosen = fields.filter((_, at) => values[`column-${at}`] !== undefined);
    onChange(chosen.length === fields.length || chosen.length === 0 ? undefined : chosen);
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={words.columns} description={words.columnsText}>
      <DialogForm label={words.columns} action={words.apply} onSubmit={apply} onClose={onClose} passing>
        {fields.map((name, at) => (
          <CheckboxField key={name} label={name} name={`column-${at}`} defaultChecked={shown.includes(name)} />
        ))}
      </DialogForm>
    </Dialog>
  );
}
