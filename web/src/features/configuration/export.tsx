import { queryOptions, useQuery } from "@tanstack/react-query";
import { Download, RotateCw } from "lucide-react";
import type { Project } from "manybase/control";
import { adminOf } from "../../app/queries";
import { CodeEditor } from "../../components/editor/code-editor";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Button, IconButton } from "../../components/ui/button";
import { CopyButton } from "../../components/ui/copy-button";
import { Panel, PanelBody } from "../../components/ui/panel";
import { printJson } from "../../lib/json";
import { saveFile } from "../../lib/save-file";
import { configurationMessages } from "../../messages/configuration";
import styles from "./configuration.module.css";
import { fileName } from "./document";

const words = configurationMessages.export;

const exportOf = (projectId: string) =>
  queryOptions({
    queryKey: [projectId, "configuration"],
    queryFn: async ({ signal }) => printJson(await adminOf(projectId).exportConfiguration({ signal })),
    refetchOnWindowFocus: false,
  });

/** The configuration of a project as it is. */
export function Export({ project }: { project: Project }) {
  const query = useQuery(exportOf(project.id));
  const text = query.data;
  return (
    <Panel
      title={words.document}
      aside={
        text !== undefined && (
          <span className={styles["actions"]}>
            <IconButton label={words.refresh} onClick={() => void query.refetch()}>
              <RotateCw size={14} aria-hidden />
            </IconButton>
            <CopyButton text={text} label={words.copy} />
            <Button look="primary" onClick={() => saveFile(text, fileName(project.slug), "application/json")}>
              <Download size={16} strokeWidth={1.75} aria-hidden />
              {words.download}
            </Button>
          </span>
        )
      }
    >
      <PanelBody>
        {query.isError ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : text === undefined ? (
          <Skeleton rows={1} height={480} />
        ) : (
          <CodeEditor label={words.document} value={text} language="json" readOnly rows={24} />
        )}
      </PanelBody>
    </Panel>
  );
}
