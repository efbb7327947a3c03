import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Download, ExternalLink } from "lucide-react";
import { useProject } from "../../app/project";
import { adminOf } from "../../app/queries";
import type { ApiSearch } from "../../app/routes/api";
import { collectionNamesOf } from "../../components/data/queries";
import { schemaOf } from "../../components/data/schema";
import { CodeEditor } from "../../components/editor/code-editor";
import { Page } from "../../components/shell/page";
import { ShowCall, adminSetup, curlOf } from "../../components/shell/show-call";
import { Denied } from "../../components/states/denied";
import { EmptyState } from "../../components/states/empty-state";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Button, ButtonAnchor, buttonClass } from "../../components/ui/button";
import { CopyButton } from "../../components/ui/copy-button";
import { Card, Panel, PanelBody } from "../../components/ui/panel";
import { SelectField } from "../../components/ui/select-field";
import { Snippet } from "../../components/ui/snippet";
import { Tabs } from "../../components/ui/tabs";
import { saveFile } from "../../lib/save-file";
import { can } from "../../lib/permissions";
import { serverUrl } from "../../lib/server";
import { messages } from "../../messages";
import { apiMessages as words } from "../../messages/api";
import styles from "./api.module.css";
import { Areas } from "./areas";
import { exampleOf } from "./example";
import { actions, graphqlOf, languages, requestOf, typescriptOf, type Action, type Language } from "./snippets";

const typesFile = "manybase-types.ts";

const typesOf = (projectId: string) =>
  queryOptions({
    queryKey: [projectId, "types"],
    queryFn: ({ signal }) => adminOf(projectId).getTypes({ signal }),
  });

/** What comes before the calls in a language. */
function preparation(slug: string, language: Language): { title: string; forms: { label: string; text: string }[] } | undefined {
  if (language === "curl") return undefined;
  if (language === "graphql") {
    const request = { method: "POST", path: "/graphql", body: { query: "{ __schema { queryType { fields { name } } } }" } };
    return { title: words.operation, forms: [{ label: words.languages.curl, text: curlOf(request, "$KEY") }] };
  }
  const client = (more: string) =>
    [
      `// npm install ${serverUrl}/dashboard/sdk/manybase.tgz`,
      'import { createClient } from "manybase";',
      `import type { Schema } from "./${typesFile.replace(/\.ts$/, "")}";`,
      "",
      `const mb = createClient<Schema>({ url: ${JSON.stringify(serverUrl)}, project: ${JSON.stringify(slug)}${more} });`,
    ].join("\n");
  return {
    title: words.setUp,
    forms: [
      { label: words.forUsers, text: `${client("")}\nawait mb.auth.login({ email: "ada@example.com", password });` },
      { label: words.forServers, text: client(", apiKey: process.env.MANYBASE_KEY") },
    ],
  };
}

interface CallsProps {
  projectId: string;
  slug: string;
  collection: string;
  language: Language;
}

/** The calls of a collection in a language. */
function Calls({ projectId, slug, collection, language }: CallsProps) {
  const query = useQuery(schemaOf(projectId, collection));
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <Skeleton rows={5} height={72} />;
  const schema = query.data;
  const example = exampleOf(schema);
  const first = preparation(slug, language);
  const textOf = (action: Action): string => {
    if (language === "typescript") return typescriptOf(action, collection, example);
    if (language === "graphql") return graphqlOf(action, collection, example, schema !== null);
    return curlOf(requestOf(action, collection, example), "$KEY");
  };
  return (
    <div className={styles["calls"]}>
      <p className={styles["hint"]}>{words.about[language]}</p>
      {first && <Snippet key={first.title} titled {...first} />}
      {actions.map((action) => (
        <Snippet
          key={`${action}-${language}`}
          titled
          title={words.actions[action]}
          forms={[{ label: words.languages[language], text: textOf(action) }]}
        />
      ))}
    </div>
  );
}

/** The types of the project's collections. */
function Types({ projectId }: { projectId: string }) {
  const query = useQuery(typesOf(projectId));
  const text = query.data;
  return (
    <Panel
      title={words.types}
      aside={
        text !== undefined && (
          <span className={styles["actions"]}>
            <CopyButton text={text} label={words.copyTypes} />
            <Button onClick={() => saveFile(text, typesFile, "text/plain")}>
              <Download size={16} strokeWidth={1.75} aria-hidden />
              {words.download}
            </Button>
          </span>
        )
      }
    >
      <PanelBody>
        <p className={styles["hint"]}>{words.typesText(typesFile)}</p>
        {query.isError ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : text === undefined ? (
          <Skeleton rows={1} height={320} />
        ) : (
          <CodeEditor label={words.types} value={text} language="javascript" readOnly rows={16} />
        )}
      </PanelBody>
    </Panel>
  );
}

const calls = () => [
  {
    title: words.types,
    method: "GET",
    path: "/admin/types.ts",
    sdk: `${adminSetup()}\nconst text = await admin.getTypes();`,
  },
];

/** How programs call this project: for each collection and language, with types. */
export function ApiPage() {
  const { project, perms } = useProject();
  const search = useSearch({ from: "/inside/p/$slug/api" });
  const navigate = useNavigate({ from: "/p/$slug/api" });
  const mayRead = can(perms, "collections:read");
  const query = useQuery(collectionNamesOf(project.id, perms));
  const names = query.data;
  const language = search.language ?? "typescript";
  const change = (next: ApiSearch) => void navigate({ search: (old) => ({ ...old, ...next }), replace: true });
  const collection = names?.find((name) => name === search.collection) ?? names?.[0];
  const links = [
    { label: messages.shell.reference, path: "docs" },
    { label: messages.shell.graphiql, path: "graphiql" },
  ];
  return (
    <Page
      title={words.title}
      actions={
        <>
          {mayRead && <ShowCall calls={calls()} />}
          {links.map(({ label, path }) => (
            <ButtonAnchor key={path} href={`${serverUrl}/p/${project.id}/${path}`} target="_blank" rel="noreferrer">
              {label}
              <ExternalLink size={14} strokeWidth={1.75} aria-hidden />
              <span className="visually-hidden">{messages.shell.opensNew}</span>
            </ButtonAnchor>
          ))}
        </>
      }
    >
      <Areas slug={project.slug} collection={search.collection} />
      {!mayRead && <Denied permission="collections:read" />}
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.isLoading && <Skeleton rows={1} height={480} />}
      {names?.length === 0 && (
        <Card>
          <EmptyState
            title={words.none}
            action={
              <Link to="/p/$slug/data" params={{ slug: project.slug }} className={buttonClass({ look: "primary" })}>
                {words.toData}
              </Link>
            }
          >
            {words.noneText}
          </EmptyState>
        </Card>
      )}
      {names && collection !== undefined && (
        <>
          <Panel title={words.documents}>
            <PanelBody>
              <SelectField
                label={words.collection}
                name="collection"
                value={collection}
                options={names.map((name) => ({ value: name, label: name }))}
                onChange={(next) => change({ collection: next })}
              />
              <Tabs<Language>
                label={words.language}
                value={language}
                onChange={(next) => change({ language: next === "typescript" ? undefined : next })}
                items={languages.map((value) => ({ value, label: words.languages[value] }))}
              >
                <Calls projectId={project.id} slug={project.slug} collection={collection} language={language} />
              </Tabs>
            </PanelBody>
          </Panel>
          <Types projectId={project.id} />
        </>
      )}
    </Page>
  );
}
