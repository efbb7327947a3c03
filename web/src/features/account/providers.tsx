import { queryOptions, useQuery } from "@tanstack/react-query";
import { queryClient } from "../../app/queries";
import { wordsOf } from "../../components/states/problem";
import { Button } from "../../components/ui/button";
import { Panel } from "../../components/ui/panel";
import { Table } from "../../components/ui/table";
import { toast } from "../../components/ui/toast";
import { formatMoment, providerLabel } from "../../lib/format";
import { messages } from "../../messages";
import { control } from "../../session";

const words = messages.account.providers;

const identities = queryOptions({
  queryKey: ["identities"],
  queryFn: async ({ signal }) => (await control.platformListIdentities({ signal })).identities,
});

/** Providers that the person signs in with; absent without any. */
export function Providers() {
  const { data } = useQuery(identities);
  if (!data?.length) return null;
  const remove = async (id: string, provider: string) => {
    try {
      await control.platformRemoveIdentity(id);
      await queryClient.invalidateQueries(identities);
      toast(words.removed(provider));
    } catch (error) {
      toast(wordsOf(error));
    }
  };
  return (
    <Panel title={words.title}>
      <Table
        label={words.text}
        columns={[words.provider, messages.auth.email, messages.account.sessions.opened, ""]}
        rows={data.map(({ id, provider, email, createdAt }) => ({
          key: id,
          cells: [
            providerLabel(provider),
            <bdi>{email}</bdi>,
            formatMoment(createdAt),
            <Button
              small
              look="danger"
              aria-label={words.removeNamed(providerLabel(provider))}
              onClick={() => void remove(id, providerLabel(provider))}
            >
              {words.remove}
            </Button>,
          ],
        }))}
      />
    </Panel>
  );
}
