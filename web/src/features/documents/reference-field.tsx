import { useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/ui/button";
import { TextField, type Words } from "../../components/ui/field";
import { can } from "../../lib/permissions";
import { documentMessages } from "../../messages/documents";
import type { DocumentProps } from "./document-editor";
import styles from "./documents.module.css";
import { ReferenceLink } from "./reference-link";
import { ReferencePicker } from "./reference-picker";
import { referredOf } from "./reference-queries";
import { labelOf, mayFollow, usersName } from "./references";

const words = documentMessages.references;

interface ReferenceFieldProps extends DocumentProps {
  field: Words;
  /** The collection that it refers to. */
  to: string;
  value: string;
  /** Something is chosen in place of what was typed. */
  onChoose(): void;
}

/** The id of another document, with a link to it, what it is called, and a search that finds another one. */
export function ReferenceField({ projectId, slug, perms, collection, field, to, value, onChoose }: ReferenceFieldProps) {
  const [text, setText] = useState(value);
  // What is typed is not looked up before it is whole.
  const [whole, setWhole] = useState(value);
  const [choosing, setChoosing] = useState(false);
  const mayOpen = mayFollow(perms, to);
  const { data } = useQuery({ ...referredOf(projectId, to, [whole]), enabled: mayOpen && whole !== "" && to !== usersName });
  const referred = data?.[0];
  const label = referred && labelOf(referred);
  const isWhole = whole !== "" && whole === text;
  return (
    <div className={styles["referring"]}>
      <TextField {...field} value={text} onChange={(event) => setText(event.target.value)} onBlur={() => setWhole(text)} autoComplete="off" />
      {mayOpen && (
        <div className={styles["reference"]}>
          {isWhole && (
            <span>
              {data && !referred ? (
                words.dangling(to)
              ) : (
                <ReferenceLink slug={slug} collection={to} id={whole}>
                  {words.open(to, whole)}
                </ReferenceLink>
              )}
              {label !== undefined && label !== whole && <bdi title={label} className={styles["label"]}>{label}</bdi>}
            </span>
          )}
          {can(perms, `data:${collection}:update`) && (
            <Button small aria-label={words.chooseFor(field.label)} onClick={() => setChoosing(true)}>
              <Search size={14} aria-hidden />
              {words.change}
            </Button>
          )}
        </div>
      )}
      {choosing && (
        <ReferencePicker
          projectId={projectId}
          collection={to}
          maySchema={can(perms, "collections:read")}
          onClose={() => setChoosing(false)}
          onChoose={(document) => {
            setText(String(document["id"]));
            setWhole(String(document["id"]));
            setChoosing(false);
            onChoose();
          }}
        />
      )}
    </div>
  );
}
