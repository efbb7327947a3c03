import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useId, useState, type KeyboardEvent, type SyntheticEvent } from "react";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem } from "../../components/form/form";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Dialog } from "../../components/ui/dialog";
import { Facts } from "../../components/ui/facts";
import { FilterText } from "../../components/ui/filter-bar";
import type { Fields } from "../../lib/json";
import { usePaused } from "../../lib/use-paused";
import { documentMessages } from "../../messages/documents";
import styles from "./reference-picker.module.css";
import { foundOf } from "./reference-queries";
import { labelOf, usersName } from "./references";
import { cellOf } from "./values";

const words = documentMessages.references;
/** A pause in typing after which is searched. */
const pauseMs = 250;
const maxFacts = 8;

/** Its events are not those of the form that it is opened from. */
const apart = (event: SyntheticEvent) => event.stopPropagation();

interface PickerProps {
  projectId: string;
  collection: string;
  /** Whether the schema may be read, for the fields to search in. */
  maySchema: boolean;
  onChoose(document: Fields): void;
  onClose(): void;
}

/** Finds a document of a collection by a text, shows what is in it, and gives it. */
export function ReferencePicker({ projectId, collection, maySchema, onChoose, onClose }: PickerProps) {
  const name = useId();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<string>();
  const query = useQuery({ ...foundOf(projectId, collection, usePaused(text, pauseMs), maySchema), placeholderData: keepPreviousData });
  const list = query.data ?? [];
  const at = Math.max(0, list.findIndex((one) => one["id"] === chosen));
  const current = list[at];
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    // The choices themselves know arrows.
    if (by === 0 || (event.target as HTMLInputElement).type !== "search") return;
    event.preventDefault();
    const next = list[Math.max(0, Math.min(list.length - 1, at + by))];
    if (next) setChosen(String(next["id"]));
  };
  const choose = async () => {
    if (!current) throw new FormProblem("", words.nothing);
    onChoose(current);
  };
  return (
    <div className={styles["apart"]} onSubmit={apart} onInput={apart} onKeyDown={apart}>
      <Dialog open onClose={onClose} title={words.choose(collection)} wide>
        <DialogForm label={words.choose(collection)} action={words.action} onSubmit={choose} onClose={onClose} passing>
          <div onKeyDown={onKeyDown} className={styles["search"]}>
            <FilterText label={collection === usersName ? words.searchUsers : words.search} value={text} onChange={setText} />
            <span role="status" className="visually-hidden">
              {current ? words.preview(labelOf(current)) : query.isSuccess ? words.nothing : ""}
            </span>
          </div>
          {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
          {query.isLoading && <Skeleton rows={6} height={28} />}
          {query.isSuccess && list.length === 0 && <p>{words.nothing}</p>}
          {current && (
            <div className={styles["found"]}>
              <fieldset className={styles["list"]}>
                <legend className="visually-hidden">{words.found(collection)}</legend>
                {list.map((one) => (
                  <label key={String(one["id"])}>
                    <input type="radio" name={name} checked={one === current} onChange={() => setChosen(String(one["id"]))} />
                    <bdi title={labelOf(one)} className={styles["label"]}>{labelOf(one)}</bdi>
                  </label>
                ))}
              </fieldset>
              <section aria-label={words.preview(labelOf(current))} tabIndex={0} className={styles["preview"]}>
                <Facts
                  rows={Object.entries(current)
                    .slice(0, maxFacts)
                    .map(([field, value]) => [field, <bdi key={field}>{cellOf(value).text}</bdi>])}
                />
              </section>
            </div>
          )}
        </DialogForm>
      </Dialog>
    </div>
  );
}
