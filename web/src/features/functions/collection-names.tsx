import { collectionNamesOf } from "../../components/data/queries";
import { useQuery } from "@tanstack/react-query";

/** Names of collections, offered by the field whose `list` is `id` while one is typed. */
export function CollectionNames({ id, projectId, perms }: { id: string; projectId: string; perms: readonly string[] }) {
  const { data } = useQuery(collectionNamesOf(projectId, perms));
  return (
    <datalist id={id}>
      {data?.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
}
