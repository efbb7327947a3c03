import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Import, RefreshCw } from "lucide-react";
import { useState } from "react";
import { useProject } from "../../app/project";
import { Page } from "../../components/shell/page";
import { ShowCall } from "../../components/shell/show-call";
import { UnopenedPage } from "../../components/shell/unopened-page";
import { Badge } from "../../components/ui/badge";
import { Button, buttonClass } from "../../components/ui/button";
import { FilterBar, FilterChoice } from "../../components/ui/filter-bar";
import { Panel, PanelBody } from "../../components/ui/panel";
import { can } from "../../lib/permissions";
import { ownDatabaseMessages } from "../../messages/own-database";
import { BackfillPanel } from "./backfill";
import { callsOfReport } from "./calls";
import styles from "./database.module.css";
import { ImportDialog } from "./import-dialog";
import { reportOf, sourcesOf, usualSample } from "./queries";
import { Fields, Indexes, Problems, Verdict } from "./report";

const { report: words, import: importing, next } = ownDatabaseMessages;
const samples = [50, usualSample, 1000];
const maxSample = 1000;

/** After an import: whom the collection serves. */
function Next({ slug, collection }: { slug: string; collection: string }) {
  const params = { slug, collection };
  return (
    <Panel title={next.title}>
      <PanelBody>
        <p>{next.text}</p>
        <div className={styles["actions"]}>
          <Link to="/p/$slug/data/$collection/policy" params={params} className={buttonClass({ look: "primary" })}>
            {next.policy}
          </Link>
          <Link to="/p/$slug/data/$collection" params={params} className={buttonClass({})}>
            {next.documents}
          </Link>
        </div>
      </PanelBody>
    </Panel>
  );
}

/** A collection of the database: whether it can be used, its import, ids for its documents, and what comes next. */
export function ReportPage() {
  const { source } = useParams({ from: "/inside/p/$slug/database/$source" });
  // Of another collection nothing is kept.
  return <Report key={source} source={source} />;
}

function Report({ source }: { source: string }) {
  const { project, perms } = useProject();
  const { slug, id, byo } = project;
  const navigate = useNavigate({ from: "/p/$slug/database/$source" });
  const search = useSearch({ from: "/inside/p/$slug/database/$source" });
  const sample = Math.min(search.sample ?? usualSample, maxSample);
  const reads = can(perms, "introspect:read");
  const manages = can(perms, "introspect:manage") && can(perms, "collections:manage");
  const sources = useQuery(sourcesOf(id, perms, byo));
  // While another sample is read, the report stays.
  const query = useQuery({ ...reportOf(id, perms, source, sample), placeholderData: (before) => before });
  const [open, setOpen] = useState(false);
  // Ids that were to come when the screen was opened: the panel stays when they have come.
  const [backfills, setBackfills] = useState(false);
  const report = query.data;
  const imported = sources.data?.find(({ name }) => name === source)?.imported ?? null;
  const back = (
    <Link to="/p/$slug/database" params={{ slug }} className={buttonClass({})}>
      {words.back}
    </Link>
  );
  if (!report) {
    return (
      <UnopenedPage
        title={source}
        queries={[query, sources]}
        lacks={reads ? undefined : "introspect:read"}
        missing={{ title: words.missing(source), text: words.missingText, action: back }}
      />
    );
  }
  if (!backfills && imported !== null && report.verdict === "needs-backfill") setBackfills(true);
  return (
    <Page
      title={source}
      about={imported !== null && <Badge tone="good">{words.importedAs(imported)}</Badge>}
      actions={
        <>
          {back}
          <ShowCall calls={callsOfReport(source, sample, manages)} />
          {manages && sources.data && imported === null && report.verdict !== "incompatible" && (
            <Button look="primary" onClick={() => setOpen(true)}>
              <Import size={16} strokeWidth={1.75} aria-hidden />
              {importing.open}
            </Button>
          )}
        </>
      }
    >
      <Verdict report={report} />
      {backfills && <BackfillPanel projectId={id} source={source} manages={manages} />}
      {imported !== null && <Next slug={slug} collection={imported} />}
      <Problems problems={report.problems} />
      <FilterBar status="">
        <FilterChoice
          label={words.sample}
          value={String(sample)}
          options={[...new Set([...samples, sample])].sort((a, b) => a - b).map((n) => ({ value: String(n), label: words.sampleOf(n) }))}
          onChange={(value) => void navigate({ search: { sample: Number(value) }, replace: true })}
        />
        <Button busy={query.isFetching} onClick={() => void query.refetch()}>
          <RefreshCw size={16} strokeWidth={1.75} aria-hidden />
          {words.again}
        </Button>
      </FilterBar>
      <Fields fields={report.fields} />
      <Indexes indexes={report.stats.indexes} />
      {open && (
        <ImportDialog projectId={id} report={report} preImages={project.byoCapabilities?.preImages ?? false} onClose={() => setOpen(false)} />
      )}
    </Page>
  );
}
