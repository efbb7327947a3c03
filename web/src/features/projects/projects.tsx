import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { projects } from "../../app/queries";
import { Page } from "../../components/shell/page";
import { ShowCall } from "../../components/shell/show-call";
import { EmptyState } from "../../components/states/empty-state";
import { Badge, EnvironmentPill } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { Tile } from "../../components/ui/tile";
import { FilterBar, FilterText } from "../../components/ui/filter-bar";
import { messages } from "../../messages";
import { exampleMessages } from "../../messages/examples";
import { ownDatabaseMessages } from "../../messages/own-database";
import { groupFamilies, matching, type Family } from "./families";
import { NewProject } from "./new-project";
import styles from "./projects.module.css";

const words = messages.projects;
/** From here on a list is worth a filter. */
const filterFrom = 6;

function ProjectCard({ family }: { family: Family }) {
  const { root, environments } = family;
  return (
    <li className={styles["card"]}>
      <Link to="/p/$slug" params={{ slug: root.slug }} className={styles["link"]}>
        <Tile {...root} large />
        <span className={styles["text"]}>
          <bdi className={styles["name"]} title={root.name}>
            {root.name}
          </bdi>
          <span className={styles["slug"]}>{root.slug}</span>
        </span>
      </Link>
      <div className={styles["badges"]}>
        <Badge>{root.role}</Badge>
        {root.status === "suspended" && <Badge tone="warn">{words.suspended}</Badge>}
        {root.byo && <Badge tone="info">{words.ownDatabase}</Badge>}
        {environments.map((one) => (
          <Link key={one.id} to="/p/$slug" params={{ slug: one.slug }} className={styles["environment"]}>
            <EnvironmentPill label={one.environment ?? one.name} />
          </Link>
        ))}
      </div>
    </li>
  );
}

export function ProjectsPage() {
  const { data: list } = useSuspenseQuery(projects);
  const search = useSearch({ from: "/inside/" });
  const navigate = useNavigate();
  const families = groupFamilies(list);
  const shown = matching(families, search.find ?? "");
  const setNew = (open: boolean) =>
    void navigate({ to: "/", search: (old) => ({ find: old.find, ...(open ? { new: true as const } : {}) }), replace: true });
  const setFind = (find: string) =>
    void navigate({ to: "/", search: { find: find || undefined }, replace: true });

  return (
    <Page
      title={words.title}
      actions={
        <>
          <ShowCall
            calls={[
              {
                title: words.title,
                method: "GET",
                path: "/control/projects",
                sdk: 'import { createControl } from "manybase/control";\n\nconst control = createControl({ url, token });\nconst { projects } = await control.listProjects();',
              },
              {
                title: exampleMessages.calls.create,
                method: "POST",
                path: "/control/projects",
                body: { name: "Bookshop" },
                sdk: 'const { project } = await control.createProject({ name: "Bookshop" });',
              },
              {
                title: ownDatabaseMessages.create.call,
                method: "POST",
                path: "/control/projects",
                body: { name: "Bookshop", mongoUrl: "mongodb+srv://user:password@host/shop" },
                sdk: 'const { project } = await control.createProject({ name: "Bookshop", mongoUrl: process.env.MONGO_URL });',
              },
              {
                title: exampleMessages.calls.fill,
                method: "POST",
                path: "/admin/config-import?allowMissing=1",
                body: { formatVersion: 1, collections: [{ name: "books" }] },
                sdk: 'import { createAdmin } from "manybase/admin";\n\nconst admin = createAdmin({ url, token: control.projectTokens(project.id) });\nawait admin.importConfiguration(configuration, { allowMissing: "1" });',
              },
            ]}
          />
          {families.length > 0 && (
            <Button look="primary" onClick={() => setNew(true)}>
              <Plus size={16} strokeWidth={1.75} aria-hidden />
              {words.create}
            </Button>
          )}
        </>
      }
    >
      {families.length === 0 && (
        <div className={styles["blank"]}>
          <EmptyState
            title={words.none}
            action={
              <Button look="primary" onClick={() => setNew(true)}>
                <Plus size={16} strokeWidth={1.75} aria-hidden />
                {words.createFirst}
              </Button>
            }
          >
            {words.noneText}
          </EmptyState>
        </div>
      )}
      {(families.length >= filterFrom || search.find) && (
        <FilterBar status={words.shown(shown.length)}>
          <FilterText label={words.search} value={search.find ?? ""} onChange={setFind} />
        </FilterBar>
      )}
      {families.length > 0 && shown.length === 0 && (
        <div className={styles["blank"]}>
          <EmptyState title={words.nothing} action={<Button onClick={() => setFind("")}>{words.clear}</Button>}>
            {search.find}
          </EmptyState>
        </div>
      )}
      {shown.length > 0 && (
        <ul className={styles["cards"]}>
          {shown.map((family) => (
            <ProjectCard key={family.root.id} family={family} />
          ))}
        </ul>
      )}
      {search.new && <NewProject onClose={() => setNew(false)} />}
    </Page>
  );
}
