import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { me, setupStatus } from "../../app/queries";
import { connectionMessages as words } from "../../messages/connections";
import { ownSource } from "./queries";
import { ConnectionScreen } from "./screen";

/** The connections of the person's own organization. */
export function OwnConnectionsPage() {
  const search = useSearch({ from: "/inside/account/connections" });
  const navigate = useNavigate({ from: "/account/connections" });
  const { data: server } = useSuspenseQuery(setupStatus);
  const { data } = useSuspenseQuery(me);
  return (
    <ConnectionScreen
      title={words.ownTitle}
      about={words.ownText}
      purpose={words.purposeOwn}
      source={ownSource}
      mayCreate
      mayChange={() => true}
      records={
        server.operatorsEnabled &&
        data.user.platformRole === "super-admin" && (
          <Link to="/operator/audit" search={{ action: "connection.*" }}>
            {words.records}
          </Link>
        )
      }
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
    />
  );
}
