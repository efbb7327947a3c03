import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useProject } from "../../app/project";
import { Page } from "../../components/shell/page";
import { ShowCall } from "../../components/shell/show-call";
import { Denied } from "../../components/states/denied";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Button } from "../../components/ui/button";
import { can } from "../../lib/permissions";
import { serverUrl } from "../../lib/server";
import { signInMessages as words } from "../../messages/sign-in-methods";
import { oauthOf } from "./api";
import { newProvider, ProviderForm } from "./provider-form";
import { ProviderList } from "./provider-list";
import { methodsOf } from "./providers";
import { Redirects } from "./redirects";
import styles from "./sign-in-methods.module.css";

const url = JSON.stringify(serverUrl);

const callsOf = (slug: string) => [
  {
    title: words.calls.read,
    method: "GET",
    path: "/admin/auth/oauth",
    sdk: `import { createAdmin } from "manybase/admin";\n\nconst admin = createAdmin({ url: ${url}, token: process.env.MANYBASE_KEY });\nconst { providers, allowedRedirects } = await admin.getOauth();`,
  },
  {
    title: words.calls.provider,
    method: "PUT",
    path: "/admin/auth/oauth/providers/github",
    body: { clientId: "$CLIENT_ID", clientSecret: "$CLIENT_SECRET", enabled: true },
    sdk: 'await admin.setOauthProvider("github", { clientId, clientSecret, enabled: true });',
  },
  {
    title: words.calls.redirects,
    method: "PUT",
    path: "/admin/auth/oauth/redirects",
    body: { allowedRedirects: ["https://app.example.com"] },
    sdk: 'await admin.setOauthRedirects({ allowedRedirects: ["https://app.example.com"] });',
  },
  {
    title: words.calls.start,
    method: "GET",
    path: `/auth/oauth/github/start?project=${slug}&redirect=${encodeURIComponent("https://app.example.com/")}`,
    sdk: `import { createClient } from "manybase";\n\nconst mb = createClient({ url: ${url}, project: ${JSON.stringify(slug)} });\nlocation.href = mb.auth.oauthUrl("github", { redirect: location.href });`,
  },
];

/** How end users sign in besides their password. */
export function SignInMethodsPage() {
  const { project, perms } = useProject();
  const { provider } = useSearch({ from: "/inside/p/$slug/sign-in-methods" });
  const navigate = useNavigate({ from: "/p/$slug/sign-in-methods" });
  const readable = can(perms, "auth:config:read");
  const writes = can(perms, "auth:config:write");
  const query = useQuery({ ...oauthOf(project.id), enabled: readable });
  const edit = (one: string | undefined) => void navigate({ search: { provider: one }, replace: true });
  const open =
    query.data && provider && (provider === newProvider || methodsOf(query.data).some((one) => one.provider === provider));
  return (
    <Page title={words.title} narrow actions={<ShowCall calls={callsOf(project.slug)} />}>
      <p className={styles["secondary"]}>{words.about}</p>
      {!readable && <Denied permission="auth:config:read" />}
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.isLoading && <Skeleton rows={2} height={220} />}
      {query.data && (
        <>
          <ProviderList
            projectId={project.id}
            config={query.data}
            writes={writes}
            onEdit={edit}
            aside={
              writes && (
                <Button small onClick={() => edit(newProvider)}>
                  <Plus size={14} strokeWidth={1.75} aria-hidden />
                  {words.add}
                </Button>
              )
            }
          />
          <Redirects projectId={project.id} config={query.data} writes={writes} />
        </>
      )}
      {open && writes && (
        <ProviderForm key={provider} projectId={project.id} config={query.data} provider={provider} onClose={() => edit(undefined)} />
      )}
    </Page>
  );
}
