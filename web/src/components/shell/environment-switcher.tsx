import { useNavigate, useRouterState } from "@tanstack/react-router";
import { ChevronsUpDown } from "lucide-react";
import type { Project } from "manybase/control";
import { familyOf } from "../../lib/family";
import { messages } from "../../messages";
import { EnvironmentPill } from "../ui/badge";
import { Menu, MenuGroup, MenuItem } from "../ui/menu";
import styles from "./switcher.module.css";

const words = messages.shell;
const production = "production";

/** The screen of the page, without what it shows of this project alone. */
const screenOf = (fullPath: string): string => fullPath.split("/").slice(0, 4).join("/").replace(/\/$/, "");

/** The environment of the page, and the way to the same screen of the project's others. */
export function EnvironmentSwitcher({ projects, current }: { projects: readonly Project[]; current: Project }) {
  const navigate = useNavigate();
  const screen = useRouterState({ select: ({ matches }) => screenOf(matches.at(-1)?.fullPath ?? "") });
  const open = (to: string, { slug }: Project) => void navigate({ to: to as "/p/$slug", params: { slug } });
  return (
    <Menu
      trigger={
        <button type="button" className={styles["trigger"]} aria-label={words.environment(current.environment ?? production)}>
          <EnvironmentPill label={current.environment} />
          <ChevronsUpDown size={14} strokeWidth={1.75} aria-hidden />
        </button>
      }
    >
      <MenuGroup label={words.environments}>
        {familyOf(projects, current).map((one) => (
          <MenuItem key={one.id} current={one.id === current.id} onClick={() => open(screen, one)}>
            <EnvironmentPill label={one.environment} />
            <bdi className={styles["name"]}>{one.name}</bdi>
          </MenuItem>
        ))}
      </MenuGroup>
      <MenuItem onClick={() => open("/p/$slug/environments", current)}>{words.manageEnvironments}</MenuItem>
    </Menu>
  );
}
