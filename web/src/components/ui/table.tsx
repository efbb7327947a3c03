import type { ReactNode } from "react";
import { messages } from "../../messages";
import styles from "./table.module.css";

interface TableProps {
  label: string;
  /** An empty heading is that of a column of buttons. */
  columns: string[];
  rows: { key: string; cells: ReactNode[] }[];
}

/** A table that scrolls sideways inside itself where it is wider than the page. */
export function Table({ label, columns, rows }: TableProps) {
  return (
    <div className={styles["frame"]} tabIndex={0} role="region" aria-label={messages.table(label)}>
      <table className={styles["table"]}>
        <thead>
          <tr>
            {columns.map((column, at) => (column ? <th key={column} scope="col">{column}</th> : <td key={at} />))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, at) => (
                <td key={at}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
