import type { ReactNode } from "react";
import { messages } from "../../messages";
import styles from "./table.module.css";

interface TableProps {
  label: string;
  /** An empty heading is that of a column of buttons. */
  columns: string[];
  /** The headings of figures, which end at one line. */
  figures?: readonly string[];
  rows: { key: string; cells: ReactNode[] }[];
}

/** A table that scrolls sideways inside itself where it is wider than the page. */
export function Table({ label, columns, figures = [], rows }: TableProps) {
  const ends = columns.map((column, at) => figures.includes(column) || (column === "" && at > 0));
  return (
    <div className={styles["frame"]} tabIndex={0} role="region" aria-label={messages.table(label)}>
      <table className={styles["table"]}>
        <thead>
          <tr>
            {columns.map((column, at) =>
              column ? (
                <th key={column} scope="col" className={ends[at] ? styles["end"] : undefined}>
                  {column}
                </th>
              ) : (
                <td key={at} />
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, at) => (
                <td key={at} className={ends[at] ? styles["end"] : undefined}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
