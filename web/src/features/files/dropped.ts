/** A file that was dropped or chosen, and its path within that. */
export interface Given {
  path: string;
  file: File;
}

const read = <T>(start: (resolve: (value: T) => void, reject: (reason: unknown) => void) => void): Promise<T> =>
  new Promise(start);

async function filesBelow(entry: FileSystemEntry, above: string): Promise<Given[]> {
  const path = above + entry.name;
  if (entry.isFile) return [{ path, file: await read<File>((...ends) => (entry as FileSystemFileEntry).file(...ends)) }];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: Given[] = [];
  for (;;) {
    // A reader gives its entries in parts.
    const part = await read<FileSystemEntry[]>((...ends) => reader.readEntries(...ends));
    if (part.length === 0) return found;
    for (const one of part) found.push(...(await filesBelow(one, `${path}/`)));
  }
}

/** The files of a drop, those in dropped folders too. */
export async function droppedFiles(items: DataTransferItemList): Promise<Given[]> {
  // The list is empty after the first wait.
  const dropped = [...items]
    .filter(({ kind }) => kind === "file")
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const found: Given[] = [];
  for (const { entry, file } of dropped) {
    if (entry) found.push(...(await filesBelow(entry, "")));
    else if (file) found.push({ path: file.name, file });
  }
  return found;
}
