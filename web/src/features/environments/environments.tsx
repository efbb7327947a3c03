import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ArrowRight, Plus } from "lucide-react";
import { owns, useProject } from "../../app/project";
import { Page } from "../../components/shell/page";
import { ShowCall } from "../../components/shell/show-call";
import { EmptyState } from "../../components/states/empty-state";
import { Button, buttonClass } from "../../components/ui/button";
import { familyOf } from "../../lib/family";
import { environmentsMessages as words } from "../../messages/environments";
import { EnvironmentCard } from "./card";
import styles from "./environments.module.css";
import { NewEnvironment } from "./new-environment";
import { promotable } from "./queries";

export function EnvironmentsPage() {
  const { project, list } = useProject();
  const search = useSearch({ from: "/inside/p/$slug/environments" });
  const navigate = useNavigate();
  const family = familyOf(list, project);
  const root = family.find(({ parentId }) => parentId === null);
  const creates = root !== undefined && owns(root);
  const params = { slug: project.slug };
  const setNew = (open: boolean) =>
    void navigate({ to: "/p/$slug/environments", params, search: open ? { new: true } : {}, replace: true });
  const create = (text: string) => (
    <Button look="primary" onClick={() => setNew(true)}>
      <Plus size={16} strokeWidth={1.75} aria-hidden />
      {text}
    </Button>
  );
  return (
    <Page
      title={words.title}
      actions={
        <>
          <ShowCall
            calls={[
              { title: words.calls.list, method: "GET", path: "/control/projects", sdk: "const { projects } = await control.listProjects();" },
              {
                title: words.calls.create,
                method: "POST",
                path: `/control/projects/${root?.id ?? project.id}/environments`,
                body: { environment: "staging" },
                sdk: `const { project } = await control.createEnvironment(${JSON.stringify(root?.id ?? project.id)}, { environment: "staging" });`,
              },
            ]}
          />
          {family.filter(promotable).length > 1 && (
            <Link to="/p/$slug/environments/promote" params={params} className={buttonClass({})}>
              <ArrowRight size={16} strokeWidth={1.75} aria-hidden />
              {words.promote}
            </Link>
          )}
          {creates && family.length > 1 && create(words.create)}
        </>
      }
    >
      <ul className={styles["cards"]}>
        {family.map((one) => (
          <EnvironmentCard key={one.id} project={one} root={root} current={one.id === project.id} />
        ))}
      </ul>
      {family.length === 1 && (
        <div className={styles["blank"]}>
          <EmptyState title={words.none} action={creates && create(words.createFirst)}>
            {words.text}
          </EmptyState>
        </div>
      )}
      {root && creates && <NewEnvironment open={search.new === true} root={root} onClose={() => setNew(false)} />}
    </Page>
  );
}
