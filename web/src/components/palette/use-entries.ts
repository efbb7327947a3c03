import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useParams, type NavigateOptions } from "@tanstack/react-router";
import { Box, Cable, Database, FileText, FolderOpen, Keyboard, KeyRound, LogOut, Plus, Upload, User, Zap } from "lucide-react";
import type { Project } from "manybase/control";
import { manages, owns } from "../../app/project";
import { permissions, projects, setupStatus } from "../../app/queries";
import { can } from "../../lib/permissions";
import { messages } from "../../messages";
import { paletteMessages as words } from "../../messages/palette";
import { control } from "../../session";
import { collectionNamesOf } from "../data/queries";
import { collectionTabs } from "../data/tabs";
import { isShown, screens } from "../shell/navigation";
import { wordsOf } from "../states/problem";
import { toast } from "../ui/toast";
import type { Entry } from "./entries";
import { bucketNamesOf, functionNamesOf, idsWith, keyNamesOf, usersWith } from "./queries";

const nothing: readonly string[] = [];

interface Found {
  entries: Entry[];
  /** What could not be read. */
  errors: unknown[];
  /** Something is read still. */
  reading: boolean;
}

const actions = words.actions;

/** All that the palette can list in a project, with what the server finds for a text. */
export function useProjectEntries(project: Project | undefined, text: string): Found {
  const navigate = useNavigate();
  const { collection = "" } = useParams({ strict: false });
  const id = project?.id ?? "";
  const { data: perms = nothing } = useQuery({ ...permissions(id), enabled: project !== undefined });
  const { data: server } = useQuery(setupStatus);
  const collections = useQuery(collectionNamesOf(id, perms));
  const functions = useQuery(functionNamesOf(id, perms));
  const buckets = useQuery(bucketNamesOf(id, perms));
  const keys = useQuery(keyNamesOf(id, perms));
  const users = useQuery(usersWith(id, perms, text));
  const documents = useQuery(idsWith(id, perms, collection, text));
  if (!project) return { entries: [], errors: [], reading: false };

  const { slug } = project;
  const go = (options: NavigateOptions) => () => void navigate(options);
  const create = (label: string, allowed: boolean, options: NavigateOptions, icon = Plus): Entry[] =>
    allowed ? [{ key: label, group: "action", label, icon, run: go(options) }] : [];
  const within = { slug, collection };
  const params = { slug };

  const entries: Entry[] = [
    ...(documents.data ?? []).map((key): Entry => {
      const options = { to: "/p/$slug/data/$collection", params: within, search: { open: key } } as const;
      return { key, group: "document", label: key, icon: FileText, found: true, run: go(options) };
    }),
    ...(collection ? collectionTabs.filter(({ needs }) => can(perms, needs(collection))) : []).map(({ label, to }): Entry => {
      const run = go({ to: to as "/p/$slug/data/$collection", params: within });
      return { key: to, group: "screen", label: words.tab(label, collection), icon: Database, run };
    }),
    ...screens.filter((one) => isShown(one, project, perms, server)).map(({ label, icon, to }): Entry => {
      return { key: to, group: "screen", label, icon, run: go({ to: to as "/p/$slug", params }) };
    }),
    ...(collections.data ?? []).map((key): Entry => {
      const run = go({ to: "/p/$slug/data/$collection", params: { slug, collection: key } });
      return { key, group: "collection", label: key, icon: Database, run };
    }),
    ...(functions.data ?? []).map((key): Entry => {
      return { key, group: "function", label: key, icon: Zap, run: go({ to: "/p/$slug/functions/$name", params: { slug, name: key } }) };
    }),
    ...(buckets.data ?? []).map((key): Entry => {
      return { key, group: "bucket", label: key, icon: FolderOpen, run: go({ to: "/p/$slug/files/$bucket", params: { slug, bucket: key } }) };
    }),
    ...(users.data ?? []).map(({ id: user, email, name }): Entry => {
      const run = go({ to: "/p/$slug/users/$user", params: { slug, user } });
      return { key: user, group: "user", label: email, ...(name ? { detail: name } : {}), icon: User, found: true, run };
    }),
    ...(keys.data ?? []).map((key): Entry => {
      return { key, group: "key", label: key, icon: KeyRound, run: go({ to: "/p/$slug/keys", params, search: { find: key } }) };
    }),
    ...(collection
      ? [
          ...create(actions.newDocument(collection), can(perms, `data:${collection}:create`), {
            to: "/p/$slug/data/$collection",
            params: within,
            search: { new: true },
          }),
          ...create(actions.newIndex(collection), can(perms, "collections:manage"), {
            to: "/p/$slug/data/$collection/indexes",
            params: within,
            search: { new: true },
          }),
        ]
      : []),
    ...create(actions.newFunction, can(perms, "functions:manage"), { to: "/p/$slug/functions", params, search: { new: true } }),
    ...create(actions.newUser, can(perms, "users:manage"), { to: "/p/$slug/users", params, search: { new: true } }),
    ...create(actions.newRole, can(perms, "roles:manage"), { to: "/p/$slug/roles", params, search: { new: true } }),
    ...create(actions.newKey, can(perms, "keys:manage"), { to: "/p/$slug/keys", params, search: { new: true } }),
    ...create(actions.newEnvironment, owns(project) && project.environment === null, {
      to: "/p/$slug/environments",
      params,
      search: { new: true },
    }),
    ...create(actions.invite, manages(project), { to: "/p/$slug/members", params, search: { new: true } }),
    ...create(
      actions.importConfiguration,
      can(perms, "config:manage"),
      { to: "/p/$slug/configuration", params, search: { tab: "import" } },
      Upload,
    ),
  ];
  const queries = [collections, functions, buckets, keys, users, documents];
  return {
    entries,
    errors: queries.flatMap(({ isError, error }) => (isError ? [error] : [])),
    reading: queries.some(({ isLoading }) => isLoading),
  };
}

/** What the palette lists everywhere: actions, projects, the person's own screen. `onKeys` shows the list of keys. */
export function useCommonEntries(onKeys: () => void): Entry[] {
  const navigate = useNavigate();
  const { data: list } = useSuspenseQuery(projects);
  const { data: server } = useQuery(setupStatus);
  const signOut = () => void control.signOut().catch((error: unknown) => toast(wordsOf(error)));
  const action = (label: string, icon: Entry["icon"], run: () => void): Entry => ({ key: label, group: "action", label, icon, run });
  const screen = (key: string, label: string, icon: Entry["icon"], run: () => void): Entry => ({ key, group: "screen", label, icon, run });
  return [
    action(actions.newProject, Plus, () => void navigate({ to: "/", search: { new: true } })),
    action(actions.keys, Keyboard, onKeys),
    action(actions.signOut, LogOut, signOut),
    screen("account", messages.shell.yourAccount, User, () => void navigate({ to: "/account" })),
    ...(server?.connectionsEnabled
      ? [screen("connections", messages.shell.connections, Cable, () => void navigate({ to: "/account/connections" }))]
      : []),
    screen("projects", messages.shell.allProjects, Box, () => void navigate({ to: "/" })),
    ...list.map(({ id, name, slug, environment }): Entry => {
      const detail = [slug, environment].filter(Boolean).join(" · ");
      const run = () => void navigate({ to: "/p/$slug", params: { slug } });
      return { key: id, group: "project", label: name, detail, icon: Box, run };
    }),
  ];
}
