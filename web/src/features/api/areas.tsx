import { Link } from "@tanstack/react-router";
import { TabLinks } from "../../components/ui/tab-links";
import { apiMessages } from "../../messages/api";

const words = apiMessages.areas;

/** The ways between the two screens, which keep the collection. */
export function Areas({ slug, collection }: { slug: string; collection: string | undefined }) {
  const common = { params: { slug }, search: { collection }, activeOptions: { exact: true, includeSearch: false } };
  return (
    <TabLinks label={words.label}>
      <Link to="/p/$slug/api" {...common}>
        {words.calls}
      </Link>
      <Link to="/p/$slug/api/realtime" {...common}>
        {words.realtime}
      </Link>
    </TabLinks>
  );
}
