import { cx } from "../../lib/class-names";
import styles from "./grid.module.css";
import { ReferenceLink } from "./reference-link";
import { cellOf } from "./values";

/** A column of the sheet. */
export interface Column {
  name: string;
  /** The collection that it refers to, where the person may open it. */
  reference?: string | undefined;
}

/** A value in its cell; a reference is a link to its document. */
export function CellText({ value, column, slug }: { value: unknown; column: Column; slug: string }) {
  const { kind, text } = cellOf(value);
  if (column.reference && typeof value === "string" && value) {
    return (
      <ReferenceLink slug={slug} collection={column.reference} id={value} tabIndex={-1} className={styles["text"]}>
        <bdi>{text}</bdi>
      </ReferenceLink>
    );
  }
  return <bdi className={cx(styles["text"], styles[kind], column.name === "id" && styles["id"])}>{text}</bdi>;
}

