import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useLoaderData, useSearch } from "@tanstack/react-router";
import { permissions, projects } from "../../app/queries";
import { Page } from "../../components/shell/page";
import { ShowCall, curlOf, type Call } from "../../components/shell/show-call";
import { Alert } from "../../components/states/alert";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Badge, EnvironmentPill } from "../../components/ui/badge";
import { CopyButton } from "../../components/ui/copy-button";
import { Panel, PanelBody } from "../../components/ui/panel";
import { Snippet } from "../../components/ui/snippet";
import { Tile } from "../../components/ui/tile";
import { serverUrl } from "../../lib/server";
import { messages } from "../../messages";
import { Changes, Figures, Planes } from "./activity";
import { factsOf } from "./facts";
import { ExamplePanel } from "./example";
import { Steps } from "./steps";
import styles from "./home.module.css";

const words = messages.home;

const callsOf = (slug: string, collection: string): Call[] => [
  {
    title: messages.home.calls.collections,
    method: "GET",
    path: "/admin/collections",
    sdk: `import { createAdmin } from "manybase/admin";\n\nconst admin = createAdmin({ url: ${JSON.stringify(serverUrl)}, token: process.env.MANYBASE_KEY });\nconst { collections } = await admin.listCollections();`,
  },
  {
    title: messages.home.calls.metrics,
    method: "GET",
    path: "/admin/metrics",
    sdk: "const { since, planes } = await admin.getMetrics();",
  },
  {
    title: messages.home.calls.documents(collection),
    method: "GET",
    path: `/${encodeURIComponent(collection)}?limit=20`,
    sdk: `import { createClient } from "manybase";\n\nconst mb = createClient({ url: ${JSON.stringify(serverUrl)}, project: ${JSON.stringify(slug)} });\nconst { documents } = await mb.collection(${JSON.stringify(collection)}).list({ limit: 20 });`,
  },
];

function connectForms(slug: string, collection: string) {
  const url = JSON.stringify(serverUrl);
  const name = JSON.stringify(collection);
  return [
    {
      label: "TypeScript",
      text: [
        `// npm install ${serverUrl}/dashboard/sdk/manybase.tgz`,
        'import { createClient } from "manybase";',
        "",
        `const mb = createClient({ url: ${url}, project: ${JSON.stringify(slug)} });`,
        'await mb.auth.login({ email: "ada@example.com", password });',
        "",
        `const page = await mb.collection(${name}).list({ limit: 20 });`,
        "",
        "// each change that your policy shows to the user",
        `mb.collection(${name}).subscribe((change) => console.log(change.type, change.document));`,
      ].join("\n"),
    },
    { label: "curl", text: curlOf({ method: "GET", path: `/${encodeURIComponent(collection)}?limit=20` }, "$KEY") },
  ];
}

export function HomePage() {
  const loaded = useLoaderData({ from: "/inside/p/$slug" });
  const { data: list } = useSuspenseQuery(projects);
  const project = list.find(({ id }) => id === loaded.id) ?? loaded;
  const { data: perms } = useSuspenseQuery(permissions(project.id));
  const { example } = useSearch({ from: "/inside/p/$slug/" });
  const facts = useQuery(factsOf(project.id, perms));
  const collection = facts.data?.subject ?? "books";
  const begun = facts.data && facts.data.policy && facts.data.document && facts.data.key && facts.data.called;

  const changes = <Changes projectId={project.id} perms={perms} />;

  return (
    <Page
      title={project.name}
      mark={<Tile {...project} large />}
      about={
        <>
          <EnvironmentPill label={project.environment} />
          {project.status === "suspended" && <Badge tone="warn">{messages.projects.suspended}</Badge>}
          <span className={styles["id"]}>
            <code>{project.id}</code>
            <CopyButton text={project.id} label={words.id} />
          </span>
        </>
      }
      actions={<ShowCall calls={callsOf(project.slug, collection)} />}
    >
      {project.status === "suspended" && <Alert tone="warn">{words.suspended}</Alert>}
      {example && <ExamplePanel project={project} perms={perms} example={example} />}
      {facts.isError && <ErrorState error={facts.error} onRetry={() => void facts.refetch()} />}
      {facts.isLoading && <Skeleton rows={2} height={120} />}
      {facts.data && begun && <Figures projectId={project.id} perms={perms} collections={facts.data.collections} />}
      <div className={styles["columns"]}>
        <div className={styles["column"]}>
          {facts.data && !begun && <Steps project={project} facts={facts.data} perms={perms} />}
          {begun && changes}
          <Panel title={words.connect}>
            <PanelBody>
              <Snippet title={words.connect} forms={connectForms(project.slug, collection)} />
            </PanelBody>
          </Panel>
        </div>
        <div className={styles["column"]}>
          <Planes projectId={project.id} perms={perms} />
          {!begun && changes}
        </div>
      </div>
    </Page>
  );
}
