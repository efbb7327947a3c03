import type { RealtimeSearch } from "../../app/routes/api";
import { Form, FormProblem, type Values } from "../../components/form/form";
import { JsonField } from "../../components/form/json-field";
import { Denied } from "../../components/states/denied";
import { Button } from "../../components/ui/button";
import { CheckboxField } from "../../components/ui/checkbox";
import { SelectField } from "../../components/ui/select-field";
import { changeTypes } from "../../lib/changes";
import { apiMessages } from "../../messages/api";
import styles from "./api.module.css";
import { eventsOf, filterOf, selectionOf } from "./subscription";
import type { Inspector } from "./use-inspector";

const words = apiMessages.realtime;

interface Props {
  names: readonly string[];
  collection: string;
  search: RealtimeSearch;
  onSearch(search: RealtimeSearch): void;
  inspector: Inspector;
  /** The permission that the person lacks to follow the collection. */
  lacks: string | undefined;
}

/** What is subscribed to, and what begins and ends it. It is changed while nothing is followed. */
export function SubscriptionForm({ names, collection, search, onSearch, inspector, lacks }: Props) {
  const { phase } = inspector;
  const idle = phase === "idle";
  const initial = eventsOf(search);
  const denied = idle ? lacks : undefined;
  const start = async (values: Values) => {
    const events = changeTypes.filter((type) => values[type] === "on");
    if (events.length === 0) throw new FormProblem(changeTypes[0], words.noEvents);
    const filter = values["filter"] ?? "";
    const read = filterOf(filter);
    if ("wrong" in read) throw new FormProblem("filter", read.wrong);
    const next: RealtimeSearch = {
      collection,
      events: events.length < changeTypes.length ? events.join(",") : undefined,
      filter: filter.trim() || undefined,
    };
    onSearch(next);
    inspector.start(collection, selectionOf(next));
  };
  return (
    <Form label={words.subscription} onSubmit={start} passing>
      {() => (
        <>
          <SelectField
            label={apiMessages.collection}
            name="collection"
            value={collection}
            disabled={!idle}
            options={names.map((name) => ({ value: name, label: name }))}
            onChange={(next) => onSearch({ ...search, collection: next })}
          />
          {denied !== undefined ? (
            <Denied permission={denied} />
          ) : (
            <>
              <fieldset className={styles["events"]}>
                <legend>{words.events}</legend>
                {changeTypes.map((type) => (
                  <CheckboxField key={type} label={words.types[type]} name={type} defaultChecked={initial.includes(type)} disabled={!idle} />
                ))}
              </fieldset>
              <JsonField label={words.filter} name="filter" hint={words.filterHint} initial={search.filter ?? ""} rows={4} readOnly={!idle} />
              <div className={styles["actions"]}>
                <Button
                  type={idle ? "submit" : "button"}
                  look={idle ? "primary" : "default"}
                  onClick={(event) => {
                    if (idle) return;
                    // It would send the form otherwise: it is the button that starts as soon as it has stopped.
                    event.preventDefault();
                    inspector.stop();
                  }}
                >
                  {idle ? words.start : words.stop}
                </Button>
                {!idle && (
                  <Button look={phase === "paused" ? "primary" : "default"} onClick={phase === "paused" ? inspector.resume : inspector.pause}>
                    {phase === "paused" ? words.resume : words.pause}
                  </Button>
                )}
              </div>
            </>
          )}
        </>
      )}
    </Form>
  );
}
