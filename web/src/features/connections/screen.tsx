import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import type { Connection } from "manybase/control";
import { useState, type ReactNode } from "react";
import { setupStatus } from "../../app/queries";
import type { ConnectionSearch } from "../../app/search";
import { DeleteDialog } from "../../components/form/delete-dialog";
import { Page } from "../../components/shell/page";
import { ShowCall } from "../../components/shell/show-call";
import { EmptyState } from "../../components/states/empty-state";
import { FilteredList } from "../../components/states/filtered-list";
import { ErrorState } from "../../components/states/problem";
import { Button } from "../../components/ui/button";
import { Card } from "../../components/ui/panel";
import { toast } from "../../components/ui/toast";
import { connectionMessages as words } from "../../messages/connections";
import { callsOf } from "./calls";
import styles from "./connections.module.css";
import { ConnectionForm } from "./form";
import { matching } from "./input";
import { connectionKinds, remove, type Source } from "./queries";
import { ConnectionTable } from "./table";

interface Props {
  title: string;
  /** What the list is, in a sentence or two. */
  about: string;
  /** What there is to know while there are none. */
  purpose: string;
  source: Source;
  /** Whether the person creates connections here. */
  mayCreate: boolean;
  mayChange(connection: Connection): boolean;
  /** The ids of the person's own organizations, where the list also has connections of others. */
  organizations?: readonly string[];
  /** The way to the record of changes, for who may read it. */
  records: ReactNode;
  search: ConnectionSearch;
  onSearch(search: ConnectionSearch): void;
}

function Opened(props: Props) {
  const { title, about, purpose, source, mayCreate, mayChange, organizations, records, search, onSearch } = props;
  const query = useQuery(source.list());
  const catalogue = useQuery(connectionKinds);
  const [leaving, setLeaving] = useState<Connection>();
  const kinds = catalogue.data ?? [];
  const list = query.data ?? [];
  const { find = "" } = search;
  const shown = matching(list, kinds, find);
  const close = () => onSearch({ find: search.find });
  const changed = list.find((one) => one.id === search.open && mayChange(one));
  const deleteNow = async ({ id, name }: Connection) => {
    await remove(id);
    toast(words.deleted(name));
    await source.changed();
  };
  const create = mayCreate && kinds.length > 0 && (
    <Button look="primary" onClick={() => onSearch({ ...search, new: true })}>
      <Plus size={16} strokeWidth={1.75} aria-hidden />
      {words.create}
    </Button>
  );
  return (
    <Page
      title={title}
      actions={
        <>
          <ShowCall calls={callsOf(source.projectId, mayCreate)} />
          {list.length > 0 && create}
        </>
      }
    >
      <p className={styles["secondary"]}>
        {about} {records}
      </p>
      <FilteredList
        query={query}
        find={find}
        onFind={(text) => onSearch({ ...search, find: text || undefined })}
        found={shown.length}
        words={words}
        none={{ title: words.purpose, text: purpose, action: create }}
      >
        <ConnectionTable
          label={title}
          list={shown}
          kinds={kinds}
          organizations={organizations}
          mayChange={mayChange}
          onChange={({ id }) => onSearch({ ...search, open: id })}
          onDelete={setLeaving}
        />
      </FilteredList>
      {catalogue.isError && <ErrorState error={catalogue.error} onRetry={() => void catalogue.refetch()} />}
      {mayCreate && search.new && kinds.length > 0 && <ConnectionForm source={source} kinds={kinds} onClose={close} />}
      {changed && kinds.length > 0 && <ConnectionForm key={changed.id} source={source} kinds={kinds} connection={changed} onClose={close} />}
      {leaving && (
        <DeleteDialog name={<bdi>{leaving.name}</bdi>} words={words} onDelete={() => deleteNow(leaving)} onClose={() => setLeaving(undefined)} />
      )}
    </Page>
  );
}

/** A list of connections with what creates, changes and deletes them; or that this server has none. */
export function ConnectionScreen(props: Props) {
  const { data } = useSuspenseQuery(setupStatus);
  if (data.connectionsEnabled) return <Opened {...props} />;
  return (
    <Page title={props.title}>
      <Card>
        <EmptyState title={words.off}>{words.offText}</EmptyState>
      </Card>
    </Page>
  );
}
