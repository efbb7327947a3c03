import { queryOptions, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { adminOf } from "../../app/queries";
import { useProject } from "../../app/project";
import { NewKey } from "../../components/keys/new-key";
import { Page } from "../../components/shell/page";
import { Button } from "../../components/ui/button";
import { FilteredList } from "../../components/states/filtered-list";
import { can } from "../../lib/permissions";
import { keysMessages as words } from "../../messages/keys";
import { KeyCalls } from "./calls";
import { KeyTable } from "./key-table";

export const keysOf = (projectId: string) =>
  queryOptions({
    queryKey: [projectId, "keys"],
    queryFn: async ({ signal }) => (await adminOf(projectId).listApiKeys({ signal })).apiKeys,
  });

/** The keys of a project: what each may do, and whether it is in use. */
export function KeysPage() {
  const { project, perms } = useProject();
  const { find = "", new: creating } = useSearch({ from: "/inside/p/$slug/keys" });
  const navigate = useNavigate({ from: "/p/$slug/keys" });
  const readable = can(perms, "keys:read");
  const query = useQuery({ ...keysOf(project.id), enabled: readable });
  const manages = can(perms, "keys:manage");
  const list = [...(query.data ?? [])].sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  const shown = list.filter(({ name }) => name.toLowerCase().includes(find.toLowerCase()));
  const setNew = (open: boolean) => void navigate({ search: (old) => ({ ...old, new: open || undefined }), replace: true });
  const setFind = (text: string) => void navigate({ search: (old) => ({ ...old, find: text || undefined }), replace: true });
  const button = manages && (
    <Button look="primary" onClick={() => setNew(true)}>
      <Plus size={16} strokeWidth={1.75} aria-hidden />
      {words.create}
    </Button>
  );

  return (
    <Page
      title={words.title}
      actions={
        <>
          <KeyCalls manages={manages} />
          {list.length > 0 && button}
        </>
      }
    >
      <FilteredList
        lacks={!readable && "keys:read"}
        query={query}
        find={find}
        onFind={setFind}
        found={shown.length}
        words={words}
        none={{ title: words.none, text: words.about, action: button }}
      >
        <KeyTable projectId={project.id} keys={shown} perms={perms} />
      </FilteredList>
      {creating && manages && <NewKey projectId={project.id} onClose={() => setNew(false)} />}
    </Page>
  );
}
