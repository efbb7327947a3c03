import { useQuery } from "@tanstack/react-query";
import type { StoredFile } from "manybase";
import { useEffect, useState } from "react";
import { filesOf } from "../../app/client";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { roundSize } from "../../lib/size";
import { fileMessages } from "../../messages/files";
import { kindOf, nameOf } from "./model";
import styles from "./files.module.css";

const words = fileMessages.file;
const maxImageBytes = 20 << 20;
const maxTextBytes = 64 << 10;

interface Props {
  projectId: string;
  bucket: string;
  file: StoredFile;
}

const key = ({ projectId, bucket, file }: Props) => [projectId, "preview", bucket, file.path, file.etag ?? file.updatedAt];

function ImagePreview(props: Props) {
  const { projectId, bucket, file } = props;
  const query = useQuery({
    queryKey: key(props),
    queryFn: async ({ signal }) => (await filesOf(projectId, bucket).download(file.path, { signal })).blob(),
    staleTime: Infinity,
    gcTime: 0,
  });
  const [url, setUrl] = useState<string>();
  const [broken, setBroken] = useState(false);
  const { data } = query;
  useEffect(() => {
    if (!data) return undefined;
    const address = URL.createObjectURL(data);
    setUrl(address);
    setBroken(false);
    return () => URL.revokeObjectURL(address);
  }, [data]);
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (broken) return <p>{words.badImage}</p>;
  if (!url) return <Skeleton rows={1} height={160} />;
  return (
    <div className={styles["picture"]}>
      <img src={url} alt={words.image(nameOf(file.path))} onError={() => setBroken(true)} />
    </div>
  );
}

function TextPreview(props: Props) {
  const { projectId, bucket, file } = props;
  const query = useQuery({
    queryKey: key(props),
    queryFn: async ({ signal }) => {
      const range = `bytes=0-${maxTextBytes - 1}`;
      const response = await filesOf(projectId, bucket).download(file.path, { range, signal });
      return new TextDecoder().decode(await response.arrayBuffer());
    },
    staleTime: Infinity,
    gcTime: 0,
  });
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <Skeleton rows={1} height={160} />;
  return (
    <>
      {file.size > maxTextBytes && <p className={styles["secondary"]}>{words.start(roundSize(maxTextBytes))}</p>}
      <pre tabIndex={0} role="region" aria-label={words.text(nameOf(file.path))} className={styles["text"]}>
        {query.data}
      </pre>
    </>
  );
}

/** What a file holds: an image, or the text of it. Nothing of it runs. */
export function Preview(props: Props) {
  const { file } = props;
  const kind = kindOf(file.contentType);
  if (kind === "other") return <p className={styles["secondary"]}>{words.noPreview}</p>;
  if (file.size === 0) return <p className={styles["secondary"]}>{words.emptyFile}</p>;
  if (kind === "text") return <TextPreview {...props} />;
  if (file.size > maxImageBytes) return <p className={styles["secondary"]}>{words.tooLarge}</p>;
  return <ImagePreview {...props} />;
}
