import { isError } from "manybase";
import { messages } from "../../messages";
import { Button } from "../ui/button";
import { CopyButton } from "../ui/copy-button";
import { Alert } from "./alert";
import styles from "./states.module.css";

/** A sentence for a known code, else the words of the server. */
export function wordsOf(error: unknown): string {
  if (!isError(error)) return error instanceof Error && error.message ? error.message : messages.errors.unknown;
  const known = messages.errors.codes[error.code];
  if (known) return known;
  const details = error.details.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  return [error.message, ...details].join("\n");
}

/** An error with what helps to find its cause. */
export function ProblemText({ error }: { error: unknown }) {
  const requestId = isError(error) ? error.requestId : undefined;
  return (
    <>
      <p className={styles["words"]}>{wordsOf(error)}</p>
      {requestId && (
        <p className={styles["request"]}>
          {messages.errors.request} <code>{requestId}</code>
          <CopyButton text={requestId} label={messages.errors.copyRequest} />
        </p>
      )}
    </>
  );
}

/** In place of what could not be loaded. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <Alert>
      <ProblemText error={error} />
      {onRetry && (
        <p className={styles["actions"]}>
          <Button small onClick={onRetry}>
            {messages.errors.again}
          </Button>
        </p>
      )}
    </Alert>
  );
}
