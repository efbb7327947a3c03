import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { VectorField } from "manybase/admin";
import { useState } from "react";
import { Form, FormProblem, type Values } from "../../components/form/form";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Button } from "../../components/ui/button";
import { CodeField, TextField } from "../../components/ui/field";
import { Panel, PanelBody } from "../../components/ui/panel";
import { SelectField } from "../../components/ui/select-field";
import { Table } from "../../components/ui/table";
import { inlineJson } from "../../lib/json";
import { vectorMessages } from "../../messages/vectors";
import { DocumentVector } from "./document-vector";
import { isWrong, searchOf as searchFrom, type Search } from "./model";
import { searchOf } from "./queries";
import styles from "./vectors.module.css";

const words = vectorMessages.search;
const shownCharacters = 256;

type Hit = Record<string, unknown>;

const ofServer = ["id", "_score", "ownerId", "createdAt", "updatedAt"];

/** What a result holds besides its vectors and the server's own fields, on one line. */
function contentOf(hit: Hit, vectorFields: ReadonlySet<string>): string {
  const rest = Object.fromEntries(Object.entries(hit).filter(([name]) => !ofServer.includes(name) && !vectorFields.has(name)));
  return inlineJson(rest).slice(0, shownCharacters);
}

interface SearchPanelProps {
  slug: string;
  projectId: string;
  collection: string;
  fields: readonly VectorField[];
}

/** Tries a search: the documents nearest to a text or a vector. A text stays in the address. */
export function SearchPanel({ slug, projectId, collection, fields }: SearchPanelProps) {
  const from = useSearch({ from: "/inside/p/$slug/data/$collection/vectors" });
  const navigate = useNavigate({ from: "/p/$slug/data/$collection/vectors" });
  const field = fields.find(({ name }) => name === from.field) ?? fields[0]!;
  const automatic = field.mode === "auto";
  const [asked, setAsked] = useState<Search | undefined>(() => {
    if (!automatic || !from.text) return undefined;
    const read = searchFrom({ text: from.text, limit: String(from.limit ?? 10), filter: from.filter ?? "" }, field);
    return isWrong(read) ? undefined : read;
  });
  const [vector, setVector] = useState("");
  const current = asked?.field === field.name ? asked : undefined;
  const query = useQuery(searchOf(projectId, collection, current));
  const vectorFields = new Set(fields.filter(({ mode }) => mode !== "auto").map(({ name }) => name));

  const submit = async (values: Values) => {
    const read = searchFrom(values, field);
    if (isWrong(read)) throw new FormProblem(read.field, read.message);
    const { text, limit } = read;
    const filter = values["filter"]?.trim() || undefined;
    void navigate({ search: { field: field.name, text, filter, limit: limit === 10 ? undefined : limit }, replace: true });
    if (asked && inlineJson(asked) === inlineJson(read)) await query.refetch();
    else setAsked(read);
  };

  return (
    <Panel title={words.title} aside={<span className={styles["secondary"]}>{words.text}</span>}>
      <PanelBody>
        <Form key={field.name} label={words.title} onSubmit={submit}>
          {(busy) => (
            <>
              {fields.length > 1 && (
                <SelectField
                  label={words.field}
                  name="field"
                  value={field.name}
                  onChange={(next) => void navigate({ search: { field: next }, replace: true })}
                  options={fields.map(({ name }) => ({ value: name, label: name }))}
                />
              )}
              {automatic ? (
                <TextField label={words.query} name="text" hint={words.queryHint} defaultValue={from.text} autoComplete="off" />
              ) : (
                <>
                  <CodeField
                    label={words.vector}
                    name="vector"
                    hint={words.vectorHint}
                    rows={3}
                    value={vector}
                    onChange={(event) => setVector(event.target.value)}
                  />
                  <DocumentVector projectId={projectId} collection={collection} field={field.name} onVector={setVector} />
                </>
              )}
              <div className={styles["pair"]}>
                <TextField label={words.filter} name="filter" hint={words.filterHint} defaultValue={from.filter} autoComplete="off" spellCheck={false} mono />
                <TextField label={words.limit} name="limit" defaultValue={from.limit ?? 10} inputMode="numeric" autoComplete="off" />
              </div>
              <div>
                <Button type="submit" look="primary" busy={busy || query.isFetching}>
                  {words.action}
                </Button>
              </div>
            </>
          )}
        </Form>
        {query.isLoading && <Skeleton rows={3} height={32} />}
        {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
        {query.data && !query.isError && (
          <p role="status" className={styles["secondary"]}>
            {query.data.length ? words.results(query.data.length) : words.nothing}
          </p>
        )}
      </PanelBody>
      {query.data && !query.isError && query.data.length > 0 && (
        <Table
          label={words.title}
          columns={[words.score, words.id, words.content]}
          figures={[words.score]}
          rows={(query.data as Hit[]).map((hit) => {
            const id = String(hit["id"]);
            const content = contentOf(hit, vectorFields);
            return {
              key: id,
              cells: [
                Number(hit["_score"]).toLocaleString("en", { minimumFractionDigits: 4, maximumFractionDigits: 4 }),
                <Link key="id" to="/p/$slug/data/$collection" params={{ slug, collection }} search={{ open: id }} className={styles["id"]}>
                  <bdi>{id}</bdi>
                </Link>,
                <code key="content" className={styles["content"]} title={content}>
                  <bdi>{content}</bdi>
                </code>,
              ],
            };
          })}
        />
      )}
    </Panel>
  );
}
