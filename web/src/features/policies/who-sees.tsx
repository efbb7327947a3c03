import { useQueries, useQuery } from "@tanstack/react-query";
import type { PolicyTrialRequest } from "manybase/admin";
import { adminOf } from "../../app/queries";
import { ErrorState, wordsOf } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Badge } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { Panel, PanelBody } from "../../components/ui/panel";
import { Table } from "../../components/ui/table";
import { policiesMessages } from "../../messages/policies";
import { rolesOf } from "./data";
import { stepView } from "./model/steps";
import { emptyTrial, trialRequest, type TrialForm } from "./model/trial";
import styles from "./policies.module.css";
import type { Permission } from "./rights";
import { Parts } from "./words";

const words = policiesMessages.seen;
/** More roles are left to the tester. */
const maxRoles = 12;

/** The owner as the user that they are; other owners, such as keys, by their id alone. */
const ownerForm = (about: TrialForm, owner: string, may: Permission): TrialForm =>
  owner.startsWith("user_") && may("users:read") ? { ...about, caller: "user", user: owner } : { ...about, uid: owner };

interface WhoSeesProps {
  projectId: string;
  collection: string;
  id: string;
  may: Permission;
  onTry(form: TrialForm): void;
  onClose(): void;
}

/** Who sees a document: callers without a token, its owner, and the roles of end users. */
export function WhoSees({ projectId, collection, id, may, onTry, onClose }: WhoSeesProps) {
  const roles = useQuery(rolesOf(projectId, may));
  const document = useQuery({
    queryKey: [projectId, "policies", "document", collection, id],
    queryFn: async ({ signal }) => (await adminOf(projectId).adminGetDocument(collection, id, {}, { signal })) as { document: { ownerId?: unknown } },
  });
  const owner = document.data?.document.ownerId;
  const about: TrialForm = { ...emptyTrial, operation: "read", about: "stored", id };
  const names = roles.data ? roles.data.map((one) => one.name) : ["user"];
  const callers: { label: string; form: TrialForm }[] = [
    { label: words.visitor, form: { ...about, caller: "anonymous" } },
    ...(typeof owner === "string" ? [{ label: words.ownerOf(owner), form: ownerForm(about, owner, may) }] : []),
    ...names.slice(0, maxRoles).map((role) => ({ label: words.ofRole(role), form: { ...about, role } })),
  ];
  const results = useQueries({
    queries: callers.map(({ form }) => {
      const request: PolicyTrialRequest = trialRequest(form, collection);
      return {
        queryKey: [projectId, "policies", "seen", collection, id, request.caller],
        queryFn: ({ signal }: { signal: AbortSignal }) => adminOf(projectId).testPolicy(request, { signal }),
        enabled: document.isSuccess && !roles.isLoading,
      };
    }),
  });
  const body = () => {
    if (document.isError) {
      return (
        <PanelBody>
          <ErrorState error={document.error} onRetry={() => void document.refetch()} />
        </PanelBody>
      );
    }
    if (!document.data || roles.isLoading) {
      return (
        <PanelBody>
          <Skeleton rows={3} height={32} />
        </PanelBody>
      );
    }
    return (
      <Table
        label={words.title(id)}
        columns={[words.caller, words.result, words.because, ""]}
        rows={callers.map(({ label, form }, at) => {
          const { data, error } = results[at]!;
          const last = data?.steps.at(-1);
          const reason = last && data && !data.allowed ? stepView(last) : undefined;
          return {
            key: label,
            cells: [
              <bdi>{label}</bdi>,
              data && <Badge tone={data.allowed ? "good" : "plain"}>{data.allowed ? words.yes : words.no}</Badge>,
              error ? wordsOf(error) : reason ? (
                <span className={styles["because"]}>
                  {reason.title}: <Parts parts={reason.lines.at(-1) ?? []} />
                </span>
              ) : (
                data && words.passed
              ),
              <Button small aria-label={words.tryNamed(label)} onClick={() => onTry(form)}>
                {words.try}
              </Button>,
            ],
          };
        })}
      />
    );
  };
  return (
    <Panel title={words.title(id)} aside={<Button onClick={onClose}>{words.close}</Button>}>
      <PanelBody>
        <p className={styles["hint"]}>
          {words.text} {words.other}
        </p>
      </PanelBody>
      {body()}
    </Panel>
  );
}
