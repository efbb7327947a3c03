import { Pencil, Trash2 } from "lucide-react";
import type { VectorField, VectorIndex } from "manybase/admin";
import type { ReactNode } from "react";
import { Alert } from "../../components/states/alert";
import { Badge, type Tone } from "../../components/ui/badge";
import { IconButton } from "../../components/ui/button";
import { Panel, PanelBody } from "../../components/ui/panel";
import { roundSize } from "../../lib/size";
import { vectorMessages as words } from "../../messages/vectors";
import { graphOptions } from "./model";
import styles from "./vectors.module.css";

const tones: Record<VectorIndex["state"], Tone> = {
  ready: "good",
  building: "warn",
  loading: "warn",
  unloaded: "plain",
  failed: "bad",
};

function Fact({ label, children, wide }: { label: string; children: ReactNode; wide?: boolean }) {
  return (
    <div className={wide ? styles["wide"] : undefined}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function State({ index }: { index: VectorIndex }) {
  const { state, progress } = index;
  return (
    <span title={words.stateHints[state]}>
      <Badge tone={tones[state]}>
        {words.states[state]}
        {progress !== undefined && ` ${words.part(progress)}`}
      </Badge>
    </span>
  );
}

interface FieldPanelProps {
  field: VectorField;
  index: VectorIndex | undefined;
  onEdit?: (() => void) | undefined;
  onRemove?: (() => void) | undefined;
}

/** A vector field: how it is set, and the state of its index and of its embedding jobs. */
export function FieldPanel({ field, index, onEdit, onRemove }: FieldPanelProps) {
  const { facts } = words;
  const { name, dimensions, metric = "cosine", mode = "manual", source } = field;
  const graph = graphOptions.filter((option) => field.index?.[option] !== undefined);
  const embedding = index?.embedding;
  return (
    <Panel
      title={name}
      aside={
        <span className={styles["aside"]}>
          {index && <State index={index} />}
          {onEdit && (
            <IconButton label={words.edit(name)} onClick={onEdit}>
              <Pencil size={14} aria-hidden />
            </IconButton>
          )}
          {onRemove && (
            <IconButton label={words.remove(name)} onClick={onRemove}>
              <Trash2 size={14} aria-hidden />
            </IconButton>
          )}
        </span>
      }
    >
      <PanelBody>
        {index?.problem && <Alert tone="warn">{index.problem}</Alert>}
        <dl className={styles["facts"]}>
          <Fact label={facts.mode}>{facts[mode]}</Fact>
          <Fact label={facts.dimensions}>{dimensions.toLocaleString("en")}</Fact>
          <Fact label={facts.metric}>{words.metrics[metric]}</Fact>
          {index && (
            <>
              <Fact label={facts.vectors}>{index.vectors.toLocaleString("en")}</Fact>
              <Fact label={facts.memory}>{roundSize(index.bytes)}</Fact>
            </>
          )}
          {graph.length > 0 && <Fact label={facts.graph}>{graph.map((option) => `${option} ${field.index![option]}`).join(", ")}</Fact>}
          {embedding && (
            <Fact label={facts.model}>
              <bdi>{embedding.model}</bdi>
            </Fact>
          )}
          {source && (
            <Fact label={facts.source} wide>
              <code>{source.template ?? source.fields.join(", ")}</code>
            </Fact>
          )}
        </dl>
        {embedding && (
          <div className={styles["embedding"]}>
            <progress aria-label={facts.embedded} max={Math.max(embedding.documents, 1)} value={embedding.documents ? Math.min(embedding.embedded, embedding.documents) : 1} />
            <p role="status">
              {facts.embedded}: {words.embedded(embedding.embedded, embedding.documents)}
              {embedding.waiting > 0 && `. ${words.waiting(embedding.waiting)}`}
            </p>
          </div>
        )}
      </PanelBody>
    </Panel>
  );
}
