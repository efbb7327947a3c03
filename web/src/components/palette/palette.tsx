import { useParams } from "@tanstack/react-router";
import type { Project } from "manybase/control";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { flushSync } from "react-dom";
import { usePaused } from "../../lib/use-paused";
import { paletteMessages as words } from "../../messages/palette";
import { ErrorState } from "../states/problem";
import { Dialog } from "../ui/dialog";
import { entriesFor, type Entry, type Group } from "./entries";
import { useCommonEntries, useProjectEntries } from "./use-entries";
import styles from "./palette.module.css";

/** What is typed is searched for on the server after a pause of so long. */
const pauseMs = 150;

const nameOf = ({ group, key }: Entry): string => `${group} ${key}`;

interface PaletteProps {
  project: Project | undefined;
  onClose(): void;
  onKeys(): void;
}

/** Finds screens, what a project holds, and actions by their names. */
export function Palette({ project, onClose, onKeys }: PaletteProps) {
  const { collection = "" } = useParams({ strict: false });
  const id = useId();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<string>();
  const results = useRef<HTMLDivElement>(null);
  const paused = usePaused(text.trim(), pauseMs);
  const searched = useProjectEntries(project, paused);
  const common = useCommonEntries(onKeys);
  const reading = searched.reading || paused !== text.trim();
  // What the server found for another text is not what is looked for.
  const entries = searched.entries.filter(({ found }) => !found || paused === text.trim());
  const shown = entriesFor(text, [...entries, ...common]);
  const flat = shown.flatMap(([, list]) => list);
  const at = Math.max(0, flat.findIndex((one) => nameOf(one) === chosen));
  const current = flat[at];
  const idOf = (entry: Entry) => `${id}-${flat.indexOf(entry)}`;

  useEffect(() => {
    results.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [at, text]);

  const run = (entry: Entry) => {
    // The focus returns first, so that what opens next can take it.
    flushSync(onClose);
    setTimeout(() => entry.run());
  };
  const move = (by: number) => {
    const next = flat[(at + by + flat.length) % flat.length];
    if (next) setChosen(nameOf(next));
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step !== undefined) move(step);
    else if (event.key === "Enter") current && run(current);
    else return;
    event.preventDefault();
  };
  const titleOf = (group: Group): string => (group === "document" ? words.groups.document(collection) : words.groups[group]);

  return (
    <Dialog open onClose={onClose} title={words.title} wide>
      <div className={styles["palette"]}>
        <input
          type="text"
          role="combobox"
          aria-label={words.title}
          aria-expanded
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={current && idOf(current)}
          aria-describedby={`${id}-help`}
          placeholder={words.input}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={text}
          className={styles["input"]}
          onChange={(event) => {
            setText(event.target.value);
            setChosen(undefined);
          }}
          onKeyDown={onKey}
        />
        <div ref={results} id={id} role="listbox" aria-label={words.results} className={styles["list"]}>
          {shown.map(([group, list]) => (
            <div key={group} role="group" aria-labelledby={`${id}-${group}`}>
              <div id={`${id}-${group}`} role="presentation" className={styles["heading"]}>
                {titleOf(group)}
              </div>
              {list.map((entry) => (
                <div
                  key={entry.key}
                  id={idOf(entry)}
                  role="option"
                  aria-selected={entry === current}
                  className={styles["option"]}
                  onMouseMove={() => entry !== current && setChosen(nameOf(entry))}
                  onClick={() => run(entry)}
                >
                  <entry.icon size={16} strokeWidth={1.75} aria-hidden />
                  <bdi className={styles["label"]}>{entry.label}</bdi>
                  {entry.detail && <bdi className={styles["detail"]}>{entry.detail}</bdi>}
                </div>
              ))}
            </div>
          ))}
        </div>
        {flat.length === 0 && !reading && <p className={styles["nothing"]}>{words.nothing}</p>}
        {searched.errors.map((error, n) => (
          <ErrorState key={n} error={error} />
        ))}
        <p id={`${id}-help`} className={styles["help"]}>
          {words.help} <span role="status">{text.trim() && !reading ? words.found(flat.length) : ""}</span>
        </p>
      </div>
    </Dialog>
  );
}
