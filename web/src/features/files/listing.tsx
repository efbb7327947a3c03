import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { File as FileIcon, Folder as FolderIcon } from "lucide-react";
import { useState, type ReactNode } from "react";
import { filesOf } from "../../app/client";
import { Selection } from "../../components/form/selection";
import { EmptyState } from "../../components/states/empty-state";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Button } from "../../components/ui/button";
import { Time } from "../../components/ui/relative-time";
import { Table } from "../../components/ui/table";
import { toast } from "../../components/ui/toast";
import { roundSize } from "../../lib/size";
import { fileMessages } from "../../messages/files";
import { contentOf, nameOf, type Folder, type Rights } from "./model";
import { filesChanged, listingOf } from "./queries";
import styles from "./files.module.css";

const words = fileMessages.list;

interface Props {
  projectId: string;
  slug: string;
  bucket: string;
  folder: string;
  rights: Rights;
}

const noSelection: ReadonlySet<string> = new Set();

/** The files and folders of a folder. Files can be selected to be deleted together. */
export function Listing({ projectId, slug, bucket, folder, rights }: Props) {
  const query = useInfiniteQuery(listingOf(projectId, bucket, folder));
  const navigate = useNavigate();
  const [problem, setProblem] = useState<unknown>();
  const [selected, setSelected] = useState(noSelection);
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton rows={1} height={240} />;
  const files = query.data.pages.flatMap((page) => page.files);
  const content = contentOf(folder, files, query.data.pages.flatMap((page) => page.folders));

  const removeFolder = async ({ path, name }: Folder) => {
    setProblem(undefined);
    try {
      await filesOf(projectId, bucket).delete(path);
      await filesChanged(projectId, bucket);
      toast(fileMessages.folderRemoved(name));
    } catch (error) {
      setProblem(error);
    }
  };
  // What another person deleted meanwhile is not selected any more.
  const paths = new Set(content.files.map(({ path }) => path));
  const chosen = new Set([...selected].filter((path) => paths.has(path)));
  const switched = (path: string): ReadonlySet<string> => {
    const next = new Set(chosen);
    if (!next.delete(path)) next.add(path);
    return next;
  };
  // The first column, where files can be selected.
  const box = (cell: ReactNode) => (rights.remove ? [cell] : []);
  if (content.files.length + content.folders.length === 0) {
    return (
      <div className={styles["frame"]}>
        <EmptyState title={rights.upload ? fileMessages.empty : fileMessages.emptyReader}>
          {rights.upload && fileMessages.emptyText}
        </EmptyState>
      </div>
    );
  }
  return (
    <>
      {problem !== undefined && <ErrorState error={problem} />}
      {rights.remove && content.files.length > 0 && (
        <div role="group" aria-label={fileMessages.selection.label} className={styles["group"]}>
          {chosen.size > 0 ? (
            <Selection
              selected={chosen}
              onChange={setSelected}
              remove={(path) => filesOf(projectId, bucket).delete(path)}
              onRemoved={() => filesChanged(projectId, bucket)}
              words={fileMessages.selection}
            >
              <p>{fileMessages.selection.text}</p>
            </Selection>
          ) : (
            <Button small look="quiet" onClick={() => setSelected(paths)}>
              {words.selectAll(content.files.length)}
            </Button>
          )}
        </div>
      )}
      <div className={styles["frame"]}>
        <Table
          label={words.caption}
          columns={[...(rights.remove ? [""] : []), words.name, words.size, words.type, words.changed, ...(rights.folders ? [""] : [])]}
          figures={[words.size]}
          rows={[
            ...content.folders.map((one) => ({
              key: `${one.path}/`,
              cells: [
                ...box(null),
                <span className={styles["name"]}>
                  <FolderIcon size={16} strokeWidth={1.75} aria-hidden />
                  <Link to="/p/$slug/files/$bucket" params={{ slug, bucket }} search={{ folder: one.path }}>
                    <bdi>{one.name}</bdi>
                  </Link>
                </span>,
                "",
                words.folder,
                "",
                ...(rights.folders
                  ? [
                      one.empty && (
                        <Button
                          small
                          look="danger"
                          aria-label={words.removeFolderNamed(one.name)}
                          onClick={() => void removeFolder(one)}
                        >
                          {words.removeFolder}
                        </Button>
                      ),
                    ]
                  : []),
              ],
            })),
            ...content.files.map((one) => ({
              key: one.path,
              cells: [
                ...box(
                  <input
                    type="checkbox"
                    aria-label={words.select(nameOf(one.path))}
                    checked={chosen.has(one.path)}
                    className={styles["box"]}
                    onChange={() => setSelected(switched(one.path))}
                  />,
                ),
                <span className={styles["name"]}>
                  <FileIcon size={16} strokeWidth={1.75} aria-hidden />
                  <button
                    type="button"
                    className={styles["open"]}
                    title={words.open(nameOf(one.path))}
                    onClick={() =>
                      void navigate({
                        to: "/p/$slug/files/$bucket",
                        params: { slug, bucket },
                        search: { ...(folder && { folder }), file: one.path },
                      })
                    }
                  >
                    <bdi>{nameOf(one.path)}</bdi>
                  </button>
                </span>,
                roundSize(one.size),
                <bdi>{one.contentType}</bdi>,
                one.updatedAt && <Time at={one.updatedAt} />,
                ...(rights.folders ? [null] : []),
              ],
            })),
          ]}
        />
      </div>
      {query.hasNextPage && (
        <div className={styles["more"]}>
          <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {fileMessages.more(files.length)}
          </Button>
        </div>
      )}
    </>
  );
}
