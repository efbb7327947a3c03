import { useQuery } from "@tanstack/react-query";
import { ArrowUp } from "lucide-react";
import { useState, type Ref } from "react";
import { FormErrors } from "../../../components/form/form";
import { Button, IconButton } from "../../../components/ui/button";
import { SelectField } from "../../../components/ui/select-field";
import { flowMessages as words } from "../../../messages/flow";
import { CollectionNames } from "../collection-names";
import { suggestionsOf } from "../complete";
import { integrationNamesOf } from "../queries";
import { withText } from "./fields";
import { connect, disconnect, edgeOf, isFreeId, rename, replaceNode, targetsOf, variablesOf } from "./model";
import { NodeFieldInput } from "./node-field";
import type { NodeProblem } from "./problems";
import { RenameDialog } from "./rename-dialog";
import { rules, type Draft, type DraftNode, type NodeField } from "./types";
import styles from "./flow.module.css";

interface Props {
  projectId: string;
  perms: readonly string[];
  draft: Draft;
  node: DraftNode;
  /** Those of this node. */
  problems: readonly NodeProblem[];
  collections: readonly string[];
  /** Its heading, to which the focus may be moved. */
  heading: Ref<HTMLHeadingElement>;
  /** Absent where it may not be changed. */
  onChange: ((next: Draft, about?: string) => void) | undefined;
  onRemove(id: string): void;
  onRenamed(id: string): void;
  onBack(): void;
  onSave(): void;
  onRun?: (() => void) | undefined;
}

/** Where the flow continues: a list for each way out of the node. */
function Ways({ draft, node, onChange }: Pick<Props, "draft" | "node" | "onChange">) {
  const lead = (branch: string) => (target: string) => {
    const edge = edgeOf(draft, node.id, branch);
    if (target) onChange?.(connect(draft, node.id, branch, target));
    else if (edge) onChange?.(disconnect(draft, edge.id));
  };
  const targets = targetsOf(draft, node.id).map(({ id, type }) => ({ value: id, label: `${words.types[type]}: ${id}` }));
  const { branches } = rules[node.type];
  return (
    <fieldset className={styles["ways"]}>
      <legend>{words.ways}</legend>
      {branches.length === 0 && <p>{words.noWays}</p>}
      {branches.map((branch) => (
        <SelectField
          key={branch}
          label={words.way(branch)}
          name={`way-${branch}`}
          value={edgeOf(draft, node.id, branch)?.target ?? ""}
          disabled={!onChange}
          onChange={lead(branch)}
          options={[{ value: "", label: words.end }, ...targets]}
        />
      ))}
    </fieldset>
  );
}

/** What a node does: its settings, and where the flow continues after it. */
export function Inspector(props: Props) {
  const { projectId, perms, draft, node, problems, collections, heading, onChange, onRemove, onRenamed, onBack, onSave, onRun } = props;
  const [renaming, setRenaming] = useState(false);
  const { fields } = rules[node.type];
  const integrations = useQuery({ ...integrationNamesOf(projectId, perms), enabled: node.type === "integration" });
  const complete = [...variablesOf(draft).map((label) => ({ label, detail: "variable" })), ...suggestionsOf(collections)];
  const lists: Partial<Record<NodeField["kind"], string>> = { collection: "flow-collections", integration: "flow-integrations" };
  const about = (field: string) => problems.filter((each) => each.field === field);
  const errors = Object.fromEntries(fields.map(({ name }) => [name, about(name)[0]?.message ?? ""]).filter(([, text]) => text));
  const general = problems.filter((each) => !fields.some(({ name }) => name === each.field));
  const typed = (field: NodeField) => (text: string) => onChange?.(replaceNode(draft, withText(node, field, text)), `${node.key}/${field.name}`);
  return (
    <section aria-label={words.settingsOf(node.id)} className={styles["inspector"]}>
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {words.types[node.type]} <code>{node.id}</code>
        </h2>
        <IconButton label={words.toNodes} onClick={onBack}>
          <ArrowUp size={16} strokeWidth={1.75} aria-hidden />
        </IconButton>
      </header>
      <p className={styles["hint"]}>{words.about[node.type]}</p>
      {general.map(({ message }) => (
        <p key={message} className={styles["error"]}>
          {message}
        </p>
      ))}
      <FormErrors value={errors}>
        {fields.map((field) => (
          <NodeFieldInput
            key={field.name}
            node={node}
            field={field}
            problems={about(field.name)}
            list={lists[field.kind]}
            complete={complete}
            onChange={onChange && typed(field)}
            onSave={onSave}
            onRun={onRun}
          />
        ))}
        <Ways draft={draft} node={node} onChange={onChange} />
      </FormErrors>
      <CollectionNames id={lists.collection!} projectId={projectId} perms={perms} />
      <datalist id={lists.integration}>
        {integrations.data?.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {onChange && (
        <div className={styles["tools"]}>
          <Button small onClick={() => setRenaming(true)}>
            {words.rename}
          </Button>
          {node.type !== "trigger" && (
            <Button small look="danger" onClick={() => onRemove(node.id)}>
              {words.remove}
            </Button>
          )}
        </div>
      )}
      {renaming && (
        <RenameDialog
          id={node.id}
          isFree={(id) => isFreeId(draft, node.key, id)}
          onRename={(id) => {
            onChange?.(rename(draft, node.id, id));
            onRenamed(id);
          }}
          onClose={() => setRenaming(false)}
        />
      )}
    </section>
  );
}
