import { Link } from "@tanstack/react-router";
import type { SchemaCheck } from "manybase/admin";
import { Alert } from "../../components/states/alert";
import { Badge } from "../../components/ui/badge";
import { Table } from "../../components/ui/table";
import { schemaMessages as words } from "../../messages/schema";
import styles from "./schema.module.css";

interface CheckResultProps {
  slug: string;
  collection: string;
  result: SchemaCheck;
  /** The text has been changed since. */
  older?: boolean;
}

/** How many stored documents fit, and the first that do not, each with a link to it. */
export function CheckResult({ slug, collection, result, older }: CheckResultProps) {
  const { checked, failing, examples, complete } = result;
  return (
    <div className={styles["check"]}>
      <p role="status" className={styles["verdict"]}>
        {failing ? words.checkBad(failing, checked) : words.checkGood(checked)}
        {older && <Badge>{words.checkOlder}</Badge>}
      </p>
      {!complete && <Alert tone="warn">{words.checkPart}</Alert>}
      {failing > 0 && (
        <>
          <p className={styles["secondary"]}>
            {words.checkLater} {failing > examples.length && words.checkFirst(examples.length)}
          </p>
          <Table
            label={words.checkTitle}
            columns={[words.document, words.problems]}
            rows={examples.map(({ id, details }) => ({
              key: id,
              cells: [
                <Link key="id" to="/p/$slug/data/$collection" params={{ slug, collection }} search={{ open: id }} className={styles["id"]}>
                  <bdi>{id}</bdi>
                </Link>,
                <ul key="details" className={styles["details"]}>
                  {details.map(({ path, message }, at) => (
                    <li key={at}>
                      <code>
                        <bdi>{path}</bdi>
                      </code>{" "}
                      {message}
                    </li>
                  ))}
                </ul>,
              ],
            }))}
          />
        </>
      )}
    </div>
  );
}
