import type { OauthConfig } from "manybase/admin";
import { useRef } from "react";
import { adminOf } from "../../app/queries";
import { Form, FormProblem, type Values } from "../../components/form/form";
import { wordsOf } from "../../components/states/problem";
import { Button } from "../../components/ui/button";
import { TextField } from "../../components/ui/field";
import { Panel, PanelBody } from "../../components/ui/panel";
import { toast } from "../../components/ui/toast";
import { signInMessages } from "../../messages/sign-in-methods";
import { oauthChanged } from "./api";
import styles from "./sign-in-methods.module.css";

const words = signInMessages.redirects;

interface RedirectsProps {
  projectId: string;
  config: OauthConfig;
  writes: boolean;
}

/** The origins that a sign-in may return to. */
export function Redirects({ projectId, config, writes }: RedirectsProps) {
  const field = useRef<HTMLDivElement>(null);
  const list = config.allowedRedirects;
  const save = async (allowedRedirects: string[]) => {
    await adminOf(projectId).setOauthRedirects({ allowedRedirects });
    await oauthChanged(projectId);
  };
  const input = () => field.current!.querySelector("input")!;
  const add = async ({ allowedRedirects = "" }: Values) => {
    const origin = allowedRedirects.trim();
    if (list.includes(origin)) throw new FormProblem("allowedRedirects", words.twice);
    await save([...list, origin]);
    toast(words.added(origin));
    input().value = "";
    input().focus();
  };
  const remove = async (origin: string) => {
    try {
      await save(list.filter((one) => one !== origin));
      toast(words.removed(origin));
      // The button that was pressed is not there any more.
      input().focus();
    } catch (error) {
      toast(wordsOf(error));
    }
  };
  return (
    <Panel title={words.title}>
      <PanelBody>
        <p className={styles["secondary"]}>{words.about}</p>
        {list.length === 0 && <p>{words.none}</p>}
        {list.length > 0 && (
          <ul aria-label={words.title} className={styles["origins"]}>
            {list.map((origin) => (
              <li key={origin}>
                <code>{origin}</code>
                {writes && (
                  <Button small look="danger" aria-label={words.removeNamed(origin)} onClick={() => void remove(origin)}>
                    {words.remove}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
        {writes && (
          <Form label={words.add} onSubmit={add}>
            {(busy) => (
              <div ref={field} className={styles["add"]}>
                <TextField
                  label={words.origin}
                  name="allowedRedirects"
                  type="url"
                  hint={words.originHint}
                  autoComplete="off"
                  mono
                />
                <Button type="submit" busy={busy}>
                  {words.add}
                </Button>
              </div>
            )}
          </Form>
        )}
      </PanelBody>
    </Panel>
  );
}
