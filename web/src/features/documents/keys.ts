export interface Place {
  row: number;
  column: number;
}

/** Where a key moves the current cell to; undefined for other keys. */
export function moved(place: Place, key: string, control: boolean, size: { rows: number; columns: number; page: number }): Place | undefined {
  const { row, column } = place;
  const last = { row: size.rows - 1, column: size.columns - 1 };
  const targets: Record<string, Place | undefined> = {
    ArrowUp: { row: control ? 0 : row - 1, column },
    ArrowDown: { row: control ? last.row : row + 1, column },
    ArrowLeft: { row, column: control ? 0 : column - 1 },
    ArrowRight: { row, column: control ? last.column : column + 1 },
    PageUp: { row: row - size.page, column },
    PageDown: { row: row + size.page, column },
    Home: { row: control ? 0 : row, column: 0 },
    End: { row: control ? last.row : row, column: last.column },
  };
  const target = Object.hasOwn(targets, key) ? targets[key] : undefined;
  if (!target) return undefined;
  const within = (n: number, most: number) => Math.max(0, Math.min(n, most));
  return { row: within(target.row, last.row), column: within(target.column, last.column) };
}
