import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import type { DocumentTab } from "../../app/routes/data";
import { adminOf } from "../../app/queries";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { LeaveGuard } from "../../components/form/leave-guard";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { ShowCall } from "../../components/shell/show-call";
import { IconButton } from "../../components/ui/button";
import { toast } from "../../components/ui/toast";
import { can } from "../../lib/permissions";
import { documentMessages } from "../../messages/documents";
import { callsOfDocument } from "./calls";
import { DocumentEditor, type DocumentProps } from "./document-editor";
import { placeOf } from "./place";
import { documentOf, documentsChanged } from "./queries";

const words = documentMessages.panel;

/** The buttons of a document: its calls, and what deletes it. `onRemoved` is called before the lists are read again. */
export function DocumentActions({ projectId, perms, collection, id, onRemoved }: DocumentProps & { id: string; onRemoved(): void }) {
  const [removing, setRemoving] = useState(false);
  const remove = async () => {
    await adminOf(projectId).adminDeleteDocument(collection, id);
    onRemoved();
    toast(documentMessages.removed(1));
    await documentsChanged(projectId, collection);
  };
  return (
    <>
      <ShowCall small calls={callsOfDocument(collection, id)} />
      {can(perms, `data:${collection}:delete`) && (
        <IconButton label={documentMessages.removeOne} onClick={() => setRemoving(true)}>
          <Trash2 size={16} strokeWidth={1.75} aria-hidden />
        </IconButton>
      )}
      <ConfirmDialog open={removing} danger title={documentMessages.removeOne} action={documentMessages.remove} onConfirm={remove} onClose={() => setRemoving(false)}>
        {documentMessages.removeOneText}
      </ConfirmDialog>
    </>
  );
}

/** A link to the callers who can see a document, where the person may try policies. */
export function WhoSeesLink({ slug, perms, collection, id }: DocumentProps & { id: string }) {
  if (!can(perms, "policies:read") || !can(perms, `data:${collection}:read`)) return null;
  return (
    <Link to="/p/$slug/data/$collection/policy" params={{ slug, collection }} search={{ document: id }}>
      {words.whoSees}
    </Link>
  );
}

interface ViewProps extends DocumentProps {
  id: string;
  dirty: { current: boolean };
  tab: DocumentTab | undefined;
  onTab(tab: DocumentTab | undefined): void;
}

/** A document as it is read, and changed. Leaving it with changes raises a question. */
export function DocumentView(props: ViewProps) {
  const { projectId, perms, collection, id, dirty } = props;
  const mayRead = can(perms, `data:${collection}:read`);
  const query = useQuery({ ...documentOf(projectId, collection, id), enabled: mayRead });
  return (
    <>
      {!mayRead && <p>{words.noRead}</p>}
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.isLoading && <Skeleton rows={5} height={48} />}
      {query.data && <DocumentEditor {...props} document={query.data} />}
      <LeaveGuard when={() => dirty.current} place={placeOf} />
    </>
  );
}
