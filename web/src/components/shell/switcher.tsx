import { useNavigate } from "@tanstack/react-router";
import { ChevronsUpDown } from "lucide-react";
import type { Project } from "manybase/control";
import { messages } from "../../messages";
import { Menu, MenuGroup, MenuItem } from "../ui/menu";
import { Tile } from "../ui/tile";
import { EnvironmentPill } from "../ui/badge";
import styles from "./switcher.module.css";

/** The project of the page, and the way to the others; typing a letter goes to the next that begins with it. */
export function ProjectSwitcher({ projects, current }: { projects: Project[]; current: Project }) {
  const navigate = useNavigate();
  return (
    <Menu
      trigger={
        <button type="button" className={styles["trigger"]} aria-label={messages.shell.project(current.name)}>
          <Tile {...current} />
          <bdi className={styles["name"]}>{current.name}</bdi>
          <ChevronsUpDown size={14} strokeWidth={1.75} aria-hidden />
        </button>
      }
    >
      <MenuGroup label={messages.shell.projects}>
        {projects.map((project) => (
          <MenuItem
            key={project.id}
            current={project.id === current.id}
            onClick={() => void navigate({ to: "/p/$slug", params: { slug: project.slug } })}
          >
            <Tile {...project} />
            <bdi className={styles["name"]}>{project.name}</bdi>
            {project.environment !== null && <EnvironmentPill label={project.environment} />}
          </MenuItem>
        ))}
      </MenuGroup>
      <MenuItem onClick={() => void navigate({ to: "/" })}>{messages.shell.allProjects}</MenuItem>
    </Menu>
  );
}
