import { useNavigate, useSearch } from "@tanstack/react-router";
import { useProject } from "../../app/project";
import { Page } from "../../components/shell/page";
import { ShowCall } from "../../components/shell/show-call";
import { Denied } from "../../components/states/denied";
import { Tabs } from "../../components/ui/tabs";
import { can } from "../../lib/permissions";
import { configurationMessages as words } from "../../messages/configuration";
import styles from "./configuration.module.css";
import { Export } from "./export";
import { Import } from "./import";

const needed = "config:manage";

export function ConfigurationPage() {
  const { project, perms } = useProject();
  const { tab = "export" } = useSearch({ from: "/inside/p/$slug/configuration" });
  const navigate = useNavigate();
  const allowed = can(perms, needed);
  return (
    <Page
      title={words.title}
      actions={
        <ShowCall
          calls={[
            {
              title: words.calls.export,
              method: "GET",
              path: "/admin/config-export",
              sdk: "const configuration = await admin.exportConfiguration();",
            },
            {
              title: words.calls.plan,
              method: "POST",
              path: "/admin/config-import?dryRun=1",
              body: { formatVersion: 1, roles: [] },
              sdk: 'const { plan } = await admin.importConfiguration(configuration, { dryRun: "1" });',
            },
            {
              title: words.calls.apply,
              method: "POST",
              path: "/admin/config-import",
              body: { formatVersion: 1, roles: [] },
              sdk: "await admin.importConfiguration(configuration);",
            },
          ]}
        />
      }
    >
      <p className={styles["secondary"]}>{words.text}</p>
      {allowed ? (
        <Tabs
          label={words.tabs.label}
          value={tab}
          onChange={(next) =>
            void navigate({
              to: "/p/$slug/configuration",
              params: { slug: project.slug },
              search: next === "import" ? { tab: next } : {},
              replace: true,
            })
          }
          items={[
            { value: "export", label: words.tabs.export },
            { value: "import", label: words.tabs.import },
          ]}
        >
          {tab === "export" ? <Export project={project} /> : <Import key={project.id} project={project} />}
        </Tabs>
      ) : (
        <Denied permission={needed} />
      )}
    </Page>
  );
}
