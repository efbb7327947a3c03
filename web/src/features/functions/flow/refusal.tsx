import { Alert } from "../../../components/states/alert";
import { ProblemText } from "../../../components/states/problem";
import type { Refusal } from "./problems";
import type { Draft } from "./types";
import styles from "./flow.module.css";

/** Why a flow was not saved; what is about a node leads to it. */
export function RefusalNote({ draft, refusal, onOpen }: { draft: Draft; refusal: Refusal; onOpen(id: string): void }) {
  return (
    <Alert>
      <ProblemText error={refusal.rest} />
      <ul className={styles["refusals"]}>
        {refusal.nodes.map(({ node: key, message }, at) => {
          const node = draft.nodes.find((one) => one.key === key);
          return (
            <li key={at}>
              {node ? (
                <button type="button" onClick={() => onOpen(node.id)}>
                  {message}
                </button>
              ) : (
                message
              )}
            </li>
          );
        })}
      </ul>
    </Alert>
  );
}
