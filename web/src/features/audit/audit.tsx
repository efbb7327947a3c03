import { useNavigate, useSearch } from "@tanstack/react-router";
import { useProject } from "../../app/project";
import { adminOf } from "../../app/queries";
import { AuditScreen, type AuditSearch } from "../../components/audit/audit-screen";
import { Page } from "../../components/shell/page";
import { can } from "../../lib/permissions";
import { auditMessages as words } from "../../messages/audit";

const needed = "audit:read";

/** The audit log of a project. */
export function AuditPage() {
  const { project, perms } = useProject();
  const search = useSearch({ from: "/inside/p/$slug/audit" });
  const navigate = useNavigate();
  const go = ({ action, target, actor, entry }: AuditSearch) =>
    void navigate({ to: "/p/$slug/audit", params: { slug: project.slug }, search: { action, target, actor, entry }, replace: true });
  const source = {
    key: [project.id, "audit"],
    list: adminOf(project.id).listAudit,
    path: "/admin/audit",
    sdk: "admin.listAudit",
  };
  return (
    <AuditScreen
      source={source}
      about={words.text}
      search={search}
      onSearch={go}
      denied={can(perms, needed) ? undefined : needed}
      frame={Page}
    />
  );
}
