import { adminSetup, type Call } from "../../components/shell/show-call";
import { ownDatabaseMessages } from "../../messages/own-database";

const words = ownDatabaseMessages;

/** The call of the list. */
export const callsOfContents = (): Call[] => [
  {
    title: words.contents.call,
    method: "GET",
    path: "/admin/introspect",
    sdk: `${adminSetup()}\nconst { collections } = await admin.listIntrospected();`,
  },
];

/** The calls about one collection of the database; those that change something for who may. */
export function callsOfReport(source: string, sample: number, manages: boolean): Call[] {
  const path = `/admin/introspect/${encodeURIComponent(source)}`;
  const name = JSON.stringify(source);
  const { calls } = words.report;
  return [
    {
      title: calls.report,
      method: "GET",
      path: `${path}?sample=${sample}`,
      sdk: `${adminSetup()}\nconst report = await admin.introspectCollection(${name}, { sample: ${sample} });`,
    },
    ...(manages
      ? [
          {
            title: calls.import,
            method: "POST",
            path: `${path}/import`,
            body: {},
            sdk: `const { collection } = await admin.importIntrospected(${name}, {});`,
          },
          {
            title: calls.backfill,
            method: "POST",
            path: `${path}/backfill`,
            body: { limit: 1000 },
            sdk: `let remaining;\ndo {\n  ({ remaining } = await admin.backfillIntrospected(${name}, { limit: 1000 }));\n} while (remaining > 0);`,
          },
        ]
      : []),
  ];
}
