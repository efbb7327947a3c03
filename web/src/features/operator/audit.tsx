import { useNavigate, useSearch } from "@tanstack/react-router";
import { AuditScreen, type AuditSearch } from "../../components/audit/audit-screen";
import { operatorMessages } from "../../messages/operator";
import { control } from "../../session";
import { OperatorPage } from "./operator-page";

const source = {
  key: ["operator", "audit"],
  list: control.listInstanceAudit,
  path: "/control/audit",
  sdk: "control.listInstanceAudit",
};

/** The audit log of the server. */
export function AuditPage() {
  const search = useSearch({ from: "/inside/operator/audit" });
  const navigate = useNavigate();
  const go = ({ action, target, actor, entry }: AuditSearch) =>
    void navigate({ to: "/operator/audit", search: { action, target, actor, entry }, replace: true });
  return <AuditScreen source={source} about={operatorMessages.audit} search={search} onSearch={go} frame={OperatorPage} />;
}
