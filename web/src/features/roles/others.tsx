import { useRef } from "react";
import { Form, FormProblem, type Values } from "../../components/form/form";
import { Button } from "../../components/ui/button";
import { TextField } from "../../components/ui/field";
import { Panel, PanelBody } from "../../components/ui/panel";
import { can } from "../../lib/permissions";
import { rolesMessages } from "../../messages/roles";
import { isPermission, othersOf } from "./grants";
import type { MatrixProps } from "./matrix";
import styles from "./roles.module.css";

const words = rolesMessages.page;

/** The permissions that no cell shows, and a field for another one. */
export function Others({ kind, permissions, giving, onSwitch }: MatrixProps) {
  const field = useRef<HTMLDivElement>(null);
  const others = othersOf(kind, permissions);
  if (giving === undefined && others.length === 0) return null;
  const input = () => field.current!.querySelector("input")!;
  const add = async ({ permission = "" }: Values) => {
    const one = permission.trim();
    if (!isPermission(one)) throw new FormProblem("permission", words.notPermission);
    if (permissions.includes(one)) throw new FormProblem("permission", words.twice);
    if (!can(giving!, one)) throw new FormProblem("permission", words.notYours);
    onSwitch(one, true);
    input().value = "";
  };
  return (
    <Panel title={words.others}>
      <PanelBody>
        {others.length > 0 && (
          <ul aria-label={words.others} className={styles["others"]}>
            {others.map((one) => (
              <li key={one}>
                <code>{one}</code>
                {giving !== undefined && (
                  <Button
                    small
                    look="danger"
                    onClick={() => {
                      onSwitch(one, false);
                      input().focus();
                    }}
                  >
                    {words.remove(one)}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
        {giving !== undefined && (
          <Form label={words.others} onSubmit={add}>
            {() => (
              <div ref={field} className={styles["add"]}>
                <TextField
                  label={words.permission}
                  name="permission"
                  hint={words.othersHint}
                  autoComplete="off"
                  autoCapitalize="none"
                  spellCheck={false}
                  mono
                />
                <Button type="submit">{words.add}</Button>
              </div>
            )}
          </Form>
        )}
      </PanelBody>
    </Panel>
  );
}
