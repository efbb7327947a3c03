import { defaultRangeExtractor, useVirtualizer, type Range } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp, Check } from "lucide-react";
import { useCallback, useEffect, useId, useRef, useState, type KeyboardEvent, type MouseEvent } from "react";
import { Badge } from "../../components/ui/badge";
import { cx } from "../../lib/class-names";
import type { Fields } from "../../lib/json";
import { documentMessages as words } from "../../messages/documents";
import styles from "./grid.module.css";
import { moved, type Place } from "./keys";
import { CellEditor } from "./cell-editor";
import { CellText, type Column } from "./cell-text";
import { controlOf } from "./cells";
import type { CellEdit } from "./use-cell-edit";
import { own, rulesOf, type Schema } from "./values";

interface GridProps {
  slug: string;
  collection: string;
  schema: Schema;
  columns: readonly Column[];
  rows: number;
  /** A document by its row; undefined while it loads. */
  documentAt(row: number): Fields | undefined;
  /** Called with the rows that are seen. */
  onSeen(first: number, last: number): void;
  sort: string | undefined;
  onSort(sort: string | undefined): void;
  open: string | undefined;
  /** Ids of documents that others have changed. */
  newer: ReadonlySet<string>;
  /** A row that comes into sight, each time that it is another object. */
  reveal: { row: number } | undefined;
  onOpen(id: string): void;
  /** Ids. */
  selected: ReadonlySet<string>;
  onSelect(row: number, range: boolean): void;
  /** Without it cells are not edited. */
  edit?: CellEdit | undefined;
}

const rowHeight = 32;
const overscan = 12;

const nextSort = (sort: string | undefined, name: string) =>
  sort === name ? `-${name}` : sort === `-${name}` ? undefined : name;

/** The documents as a sheet, of which only the rows that are seen exist. One cell is the current one; keys move it. */
export function Grid(props: GridProps) {
  const { columns, rows, onSeen, sort, onSort, selected, onSelect, onOpen, edit } = props;
  const edited = edit?.cell;
  const editedRow = edited?.row;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<Place>({ row: 0, column: 0 });
  // The row that is edited exists wherever the sheet is scrolled to.
  const rangeExtractor = useCallback(
    (range: Range) => {
      const indexes = defaultRangeExtractor(range);
      return editedRow === undefined || indexes.includes(editedRow) ? indexes : [...indexes, editedRow].sort((a, b) => a - b);
    },
    [editedRow],
  );
  const virtual = useVirtualizer({
    count: edited ? Math.max(rows, edited.row + 1) : rows,
    rangeExtractor,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan,
    // The line of headings covers the first row otherwise.
    scrollPaddingStart: rowHeight,
    paddingStart: rowHeight,
  });
  const items = virtual.getVirtualItems();
  const first = Math.max(0, (virtual.range?.startIndex ?? 0) - overscan);
  const last = Math.max(0, Math.min(rows - 1, (virtual.range?.endIndex ?? 0) + overscan));
  useEffect(() => onSeen(first, last), [onSeen, first, last]);

  const width = `36px ${columns.map(({ name }) => (name === "id" ? "200px" : "minmax(200px, 1fr)")).join(" ")}`;
  const cellId = (row: number, column: number) => `${id}-${row}-${column}`;
  const go = (next: Place) => {
    setPlace(next);
    virtual.scrollToIndex(next.row);
    const cell = document.getElementById(cellId(next.row, next.column));
    cell?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  const { reveal } = props;
  useEffect(() => {
    if (!reveal) return;
    setPlace((old) => ({ ...old, row: reveal.row }));
    virtual.scrollToIndex(reveal.row);
  }, [reveal, virtual]);
  // What is edited stays in its row, whatever comes into the list.
  const documentAt = (row: number) => (edited?.row === row ? edited.document : props.documentAt(row));
  const openRow = (row: number) => {
    const document = documentAt(row);
    if (document) onOpen(String(document["id"]));
  };
  const editOrOpen = ({ row, column }: Place) => {
    const document = documentAt(row);
    const name = columns[column]?.name;
    if (!document || name === undefined) return;
    const control = edit && controlOf(own(document, name), name, rulesOf(props.schema, name));
    if (control) void edit.begin({ row, document, name, control });
    else openRow(row);
  };
  const onDone = (step?: number) => {
    if (step !== undefined) {
      scroller.current?.focus({ preventScroll: true });
      go({ row: place.row, column: Math.max(0, Math.min(columns.length - 1, place.column + step)) });
    }
    edit?.end();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== scroller.current) return;
    const size = { rows, columns: columns.length, page: Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2) };
    const next = moved(place, event.key, event.ctrlKey || event.metaKey, size);
    if (next) go(next);
    else if (event.key === "Enter") (event.ctrlKey || event.metaKey ? openRow(place.row) : editOrOpen(place));
    else if (event.key === " ") onSelect(place.row, event.shiftKey);
    else return;
    event.preventDefault();
  };
  const isEdited = (row: number, column: number) => edited?.row === row && edited.name === columns[column]?.name;
  const onRowClick = (event: MouseEvent, row: number, column: number) => {
    if ((event.target as Element).closest("a") || isEdited(row, column)) return;
    setPlace({ row, column: Math.max(0, column) });
    if (column < 0) onSelect(row, event.shiftKey);
    // In cells that are edited a click only moves to them.
    else if (!edit || columns[column]?.name === "id") openRow(row);
  };

  return (
    <div
      ref={scroller}
      role="grid"
      aria-label={words.grid(props.collection)}
      aria-description={edit ? words.gridEditKeys : words.gridKeys}
      aria-rowcount={rows + 1}
      aria-colcount={columns.length + 1}
      aria-multiselectable
      aria-activedescendant={place.row >= first && place.row <= last ? cellId(place.row, place.column) : undefined}
      tabIndex={0}
      className={styles["grid"]}
      onKeyDown={onKeyDown}
    >
      <div role="rowgroup" className={styles["rows"]} ref={(element) => {
        element?.style.setProperty("height", `${virtual.getTotalSize()}px`);
        element?.style.setProperty("--columns", width);
      }}>
        <div role="row" aria-rowindex={1} className={cx(styles["row"], styles["head"])}>
          <div role="columnheader" aria-colindex={1} className={styles["cell"]}>
            <span className="visually-hidden">{words.select}</span>
          </div>
          {columns.map(({ name }, at) => {
            const order = sort === name ? "ascending" : sort === `-${name}` ? "descending" : undefined;
            return (
              <div key={name} role="columnheader" aria-colindex={at + 2} aria-sort={order} className={cx(styles["cell"], at === 0 && styles["first"])}>
                <button type="button" title={words.sortBy(name)} onClick={() => onSort(nextSort(sort, name))}>
                  <bdi className={styles["text"]}>{name}</bdi>
                  {order === "ascending" && <ArrowUp size={14} aria-hidden />}
                  {order === "descending" && <ArrowDown size={14} aria-hidden />}
                </button>
              </div>
            );
          })}
        </div>
        {items.map(({ index, start }) => {
          const document = documentAt(index);
          const key = document && String(document["id"]);
          const isSelected = key !== undefined && selected.has(key);
          return (
            <div
              key={index}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={isSelected}
              data-edited={editedRow === index ? "" : undefined}
              data-open={key !== undefined && key === props.open ? "" : undefined}
              className={cx(styles["row"], styles["body"])}
              ref={(element) => element?.style.setProperty("transform", `translateY(${start}px)`)}
            >
              <div role="gridcell" aria-colindex={1} aria-label={words.select} className={cx(styles["cell"], styles["check"])} onClick={(event) => onRowClick(event, index, -1)}>
                <span aria-hidden>{isSelected && <Check size={12} strokeWidth={3} />}</span>
              </div>
              {columns.map((column, at) => (
                <div
                  key={column.name}
                  id={cellId(index, at)}
                  role="gridcell"
                  aria-colindex={at + 2}
                  data-current={place.row === index && place.column === at ? "" : undefined}
                  className={cx(styles["cell"], at === 0 && styles["first"], isEdited(index, at) && styles["edited"])}
                  onClick={(event) => onRowClick(event, index, at)}
                  onDoubleClick={() => !isEdited(index, at) && editOrOpen({ row: index, column: at })}
                >
                  {edit && edited && isEdited(index, at) ? (
                    <CellEditor key={`${String(edited.document["id"])} ${edited.name}`} cell={edited} editor={edit.editor} save={edit.save} onDone={onDone} />
                  ) : document ? (
                    <>
                      <CellText value={own(document, column.name)} column={column} slug={props.slug} />
                      {at === 0 && key !== undefined && props.newer.has(key) && <Badge tone="info">{words.live.changed}</Badge>}
                    </>
                  ) : (
                    <span className={styles["wait"]} />
                  )}
                </div>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}
