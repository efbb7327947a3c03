import { Upload } from "lucide-react";
import { useRef, useState, type DragEvent, type ReactNode } from "react";
import { filesOf } from "../../app/client";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { ErrorState } from "../../components/states/problem";
import { Button } from "../../components/ui/button";
import { fileMessages as words } from "../../messages/files";
import { droppedFiles, type Given } from "./dropped";
import { pathIn } from "./model";
import { filesChanged } from "./queries";
import { uploads } from "./uploads";
import styles from "./files.module.css";

interface Props {
  projectId: string;
  bucket: string;
  folder: string;
  /** Gets the button that chooses files. */
  children(button: ReactNode): ReactNode;
}

/** Uploads what is dropped on it or chosen, after a question where files would be replaced. */
export function DropZone({ projectId, bucket, folder, children }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [depth, setDepth] = useState(0);
  const [asked, setAsked] = useState<{ given: Given[]; replaced: string[] }>();
  const [problem, setProblem] = useState<unknown>();
  const files = filesOf(projectId, bucket);

  const start = (given: Given[]) => {
    for (const { path, file } of given) {
      uploads.add(files, projectId, pathIn(folder, path), file, () => void filesChanged(projectId, bucket));
    }
  };
  const take = async (given: Given[]) => {
    setProblem(undefined);
    try {
      const stored = await Promise.all(given.map(({ path }) => files.find(pathIn(folder, path))));
      const replaced = stored.flatMap((one) => (one ? [one.path] : []));
      if (replaced.length > 0) setAsked({ given, replaced });
      else start(given);
    } catch (error) {
      setProblem(error);
    }
  };
  const isFiles = (event: DragEvent) => event.dataTransfer.types.includes("Files");
  return (
    <div
      className={styles["zone"]}
      onDragEnter={(event) => isFiles(event) && setDepth((now) => now + 1)}
      onDragLeave={(event) => isFiles(event) && setDepth((now) => now - 1)}
      onDragOver={(event) => isFiles(event) && event.preventDefault()}
      onDrop={(event) => {
        if (!isFiles(event)) return;
        event.preventDefault();
        setDepth(0);
        void droppedFiles(event.dataTransfer.items).then(take, setProblem);
      }}
    >
      {depth > 0 && <div className={styles["drop"]}>{words.dropHere}</div>}
      {problem !== undefined && <ErrorState error={problem} />}
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={words.chooseFiles}
        onChange={(event) => {
          const chosen = [...(event.target.files ?? [])].map((file) => ({ path: file.name, file }));
          event.target.value = "";
          void take(chosen);
        }}
      />
      {children(
        <Button look="primary" onClick={() => input.current?.click()}>
          <Upload size={16} strokeWidth={1.75} aria-hidden />
          {words.upload}
        </Button>,
      )}
      {asked && (
        <ConfirmDialog
          open
          title={words.replace.title(asked.replaced.length)}
          action={words.replace.action}
          danger
          onConfirm={async () => start(asked.given)}
          onClose={() => setAsked(undefined)}
        >
          <p>{words.replace.text}</p>
          <ul>
            {asked.replaced.map((path) => (
              <li key={path}>
                <bdi>{path}</bdi>
              </li>
            ))}
          </ul>
        </ConfirmDialog>
      )}
    </div>
  );
}
