import { Link, useRouter, type ErrorComponentProps } from "@tanstack/react-router";
import { isError } from "manybase";
import { useTitle } from "../components/shell/page";
import { ErrorState } from "../components/states/problem";
import { EmptyState } from "../components/states/empty-state";
import { buttonClass } from "../components/ui/button";
import { messages } from "../messages";
import styles from "./error-page.module.css";

const words = messages.errors;

/** In place of a page whose address names nothing. */
export function MissingPage() {
  useTitle(words.missing);
  return (
    <div className={styles["page"]}>
      <EmptyState
        whole
        title={words.missing}
        action={
          <Link to="/" className={buttonClass({ look: "primary" })}>
            {words.toProjects}
          </Link>
        }
      >
        {words.missingText}
      </EmptyState>
    </div>
  );
}

/** In place of a page that could not be loaded or drawn. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  useTitle(words.page);
  if (isError(error, "NOT_FOUND")) return <MissingPage />;
  const fromServer = isError(error);
  return (
    <div className={styles["page"]}>
      {!fromServer && (
        <EmptyState whole title={words.page}>
          {words.pageText}
        </EmptyState>
      )}
      {fromServer && <h1 className="visually-hidden">{words.page}</h1>}
      <ErrorState
        error={error}
        onRetry={() => {
          if (!fromServer) return location.reload();
          reset();
          return void router.invalidate();
        }}
      />
    </div>
  );
}

/** The same outside of the shell, which has the main part of the page otherwise. */
export function RootErrorPage(props: ErrorComponentProps) {
  return (
    <main>
      <ErrorPage {...props} />
    </main>
  );
}

export function RootMissingPage() {
  return (
    <main>
      <MissingPage />
    </main>
  );
}
