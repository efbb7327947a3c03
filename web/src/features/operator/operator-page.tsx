import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { setupStatus } from "../../app/queries";
import { Page } from "../../components/shell/page";
import { TabLinks } from "../../components/ui/tab-links";
import { operatorMessages } from "../../messages/operator";

const words = operatorMessages.tabs;

const screens = [
  { label: words.users, to: "/operator/users" },
  { label: words.plans, to: "/operator/plans", billing: true },
  { label: words.costModel, to: "/operator/cost-model", billing: true },
  { label: words.costs, to: "/operator/costs", billing: true },
  { label: words.operators, to: "/operator/operators" },
  { label: words.jobs, to: "/operator/jobs" },
  { label: words.audit, to: "/operator/audit" },
] as const;

/** Whether this server has plans and costs. */
export const useBilling = (): boolean => useSuspenseQuery(setupStatus).data.billingEnabled;

/** A screen of those who operate the server, with the way to the others. */
export function OperatorPage({ title, actions, children }: { title: string; actions: ReactNode; children: ReactNode }) {
  const billing = useBilling();
  return (
    <Page title={title} actions={actions}>
      <TabLinks label={operatorMessages.areas}>
        {screens.map(
          (screen) =>
            (billing || !("billing" in screen)) && (
              <Link key={screen.to} to={screen.to} activeOptions={{ includeSearch: false }}>
                {screen.label}
              </Link>
            ),
        )}
      </TabLinks>
      {children}
    </Page>
  );
}
