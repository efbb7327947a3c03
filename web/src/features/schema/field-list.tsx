import { Pencil, Plus, X } from "lucide-react";
import { useState } from "react";
import { Badge } from "../../components/ui/badge";
import { Button, IconButton } from "../../components/ui/button";
import { Panel, PanelBody } from "../../components/ui/panel";
import { Table } from "../../components/ui/table";
import { schemaMessages } from "../../messages/schema";
import { FieldDialog } from "./field-dialog";
import { fieldsOf, type FieldRow, type Json } from "../../lib/schema-fields";
import { draftOf, withoutField } from "./fields";
import styles from "./schema.module.css";

const words = schemaMessages.fields;

function Rules({ required, reference, rules }: FieldRow) {
  return (
    <span className={styles["rules"]}>
      {required && <Badge tone="info">{words.required}</Badge>}
      {reference && (
        <Badge>
          {words.reference(reference.collection)}
          {reference.onDelete && `, ${reference.onDelete}`}
        </Badge>
      )}
      {rules.map((rule) => (
        <code key={rule} title={rule} className={styles["rule"]}>
          {rule}
        </code>
      ))}
    </span>
  );
}

interface FieldListProps {
  /** Undefined while the text is not a schema. */
  schema: Json | undefined;
  /** Absent for who may only read. */
  onChange?: ((schema: Json) => void) | undefined;
}

/** The fields that the text describes; those of the first level can be changed in a form. */
export function FieldList({ schema, onChange }: FieldListProps) {
  const [open, setOpen] = useState<{ name?: string }>();
  const rows = fieldsOf(schema);
  const editable = schema && onChange;
  const actions = ({ name, depth }: FieldRow) =>
    editable && depth === 0 ? (
      <>
        {draftOf(schema, name) && (
          <IconButton label={words.edit(name)} onClick={() => setOpen({ name })}>
            <Pencil size={14} aria-hidden />
          </IconButton>
        )}
        <IconButton label={words.remove(name)} onClick={() => onChange(withoutField(schema, name))}>
          <X size={14} aria-hidden />
        </IconButton>
      </>
    ) : null;

  return (
    <Panel
      title={words.title}
      aside={
        editable && (
          <Button small onClick={() => setOpen({})}>
            <Plus size={14} aria-hidden />
            {words.add}
          </Button>
        )
      }
    >
      {rows.length === 0 ? (
        <PanelBody>
          <p className={styles["secondary"]}>{schema ? words.none : words.broken}</p>
        </PanelBody>
      ) : (
        <Table
          label={words.title}
          columns={[words.name, words.type, words.rules, ...(editable ? [""] : [])]}
          rows={rows.map((row) => ({
            key: row.path,
            cells: [
              <code key="path" className={styles["name"]} title={row.path}>
                <bdi>{row.path}</bdi>
              </code>,
              row.types.join(" or ") || words.any,
              <Rules key="rules" {...row} />,
              ...(editable ? [<span key="actions" className={styles["buttons"]}>{actions(row)}</span>] : []),
            ],
          }))}
        />
      )}
      {open && editable && (
        <FieldDialog schema={schema} {...open} onChange={onChange} onClose={() => setOpen(undefined)} />
      )}
    </Panel>
  );
}
