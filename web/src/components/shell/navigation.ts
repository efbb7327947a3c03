import type { LinkProps } from "@tanstack/react-router";
import {
  Braces,
  Cable,
  ChartColumn,
  CodeXml,
  Database,
  DatabaseZap,
  FileCog,
  Files,
  House,
  KeyRound,
  Layers,
  LogIn,
  Plug,
  ScrollText,
  Settings,
  ShieldCheck,
  UserCog,
  Users,
  UsersRound,
  Webhook,
  Zap,
  type LucideIcon,
} from "lucide-react";
import type { Project, SetupStatus } from "manybase/control";
import { can } from "../../lib/permissions";
import { messages } from "../../messages";

/** A screen of a project in the rail. */
export interface Entry {
  label: string;
  icon: LucideIcon;
  to: NonNullable<LinkProps["to"]> & `/p/$slug${string}`;
  /** Without one of these the screen has nothing to show. */
  needs?: readonly string[];
  /** What the server must have switched on. */
  feature?: keyof SetupStatus & `${string}Enabled`;
  /** Only of projects on their owner's database. */
  own?: true;
  /** The letter that leads here after g. */
  letter?: string;
}

export interface Section {
  /** Of all but the first. */
  label?: string;
  entries: readonly Entry[];
}

const words = messages.rail;

export const navigation: readonly Section[] = [
  {
    entries: [
      { label: words.home, icon: House, to: "/p/$slug", letter: "h" },
      { label: words.data, icon: Database, to: "/p/$slug/data", needs: ["collections:read"], letter: "d" },
      { label: words.database, icon: DatabaseZap, to: "/p/$slug/database", needs: ["introspect:read"], own: true, letter: "b" },
      { label: words.files, icon: Files, to: "/p/$slug/files", needs: ["storage:read"], letter: "l" },
      { label: words.api, icon: CodeXml, to: "/p/$slug/api", needs: ["collections:read"], letter: "x" },
    ],
  },
  {
    label: words.build,
    entries: [
      { label: words.functions, icon: Zap, to: "/p/$slug/functions", needs: ["functions:read"], letter: "f" },
      { label: words.integrations, icon: Plug, to: "/p/$slug/integrations", needs: ["integrations:read"], letter: "i" },
      { label: words.webhooks, icon: Webhook, to: "/p/$slug/webhooks", needs: ["webhooks:read"], letter: "w" },
    ],
  },
  {
    label: words.access,
    entries: [
      { label: words.policies, icon: ShieldCheck, to: "/p/$slug/policies", needs: ["policies:read"], letter: "p" },
      { label: words.users, icon: Users, to: "/p/$slug/users", needs: ["users:read"], letter: "u" },
      { label: words.roles, icon: UsersRound, to: "/p/$slug/roles", needs: ["roles:read"], letter: "r" },
      { label: words.keys, icon: KeyRound, to: "/p/$slug/keys", needs: ["keys:read"], letter: "k" },
      { label: words.signIn, icon: LogIn, to: "/p/$slug/sign-in-methods", needs: ["auth:config:read"], letter: "s" },
    ],
  },
  {
    label: words.project,
    entries: [
      { label: words.environments, icon: Layers, to: "/p/$slug/environments", letter: "e" },
      { label: words.configuration, icon: FileCog, to: "/p/$slug/configuration", needs: ["config:manage"], letter: "c" },
      { label: words.variables, icon: Braces, to: "/p/$slug/variables", needs: ["variables:read"], letter: "v" },
      { label: words.members, icon: UserCog, to: "/p/$slug/members", letter: "m" },
      { label: words.connections, icon: Cable, to: "/p/$slug/connections", feature: "connectionsEnabled", letter: "n" },
      { label: words.audit, icon: ScrollText, to: "/p/$slug/audit", needs: ["audit:read"], letter: "a" },
      { label: words.usage, icon: ChartColumn, to: "/p/$slug/usage", needs: ["ops:read"], letter: "g" },
      { label: words.settings, icon: Settings, to: "/p/$slug/settings", letter: "t" },
    ],
  },
];

/** All screens of a project, in their order. */
export const screens: readonly Entry[] = navigation.flatMap(({ entries }) => entries);

/** Whether a screen of a project shows something: to these permissions, on a server with this status. */
export const isShown = (
  { needs, feature, own }: Entry,
  { byo }: Pick<Project, "byo">,
  perms: readonly string[],
  server: SetupStatus | undefined,
): boolean =>
  (!own || byo) && (!needs || needs.some((one) => can(perms, one))) && (!feature || server?.[feature] === true);
