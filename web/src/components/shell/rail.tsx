import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { BookOpen, Braces, ExternalLink } from "lucide-react";
import type { Project } from "manybase/control";
import { Fragment } from "react";
import { permissions, setupStatus } from "../../app/queries";
import { serverUrl } from "../../lib/server";
import { messages } from "../../messages";
import { isShown, navigation } from "./navigation";
import styles from "./rail.module.css";

const words = messages.shell;

/** The screens of a project. */
export function Rail({ project }: { project: Project }) {
  const tools = [
    { label: words.reference, icon: BookOpen, path: "docs" },
    { label: words.graphiql, icon: Braces, path: "graphiql" },
  ];
  const { data: perms } = useQuery(permissions(project.id));
  const { data: server } = useQuery(setupStatus);
  return (
    <nav aria-label={words.navigation} className={styles["rail"]}>
      {navigation.map(({ label, entries }, at) => {
        const shown = entries.filter((entry) => isShown(entry, project, perms ?? [], server));
        if (shown.length === 0) return null;
        return (
          <Fragment key={label ?? at}>
            {label && <h2 className={styles["heading"]}>{label}</h2>}
            <ul>
              {shown.map(({ label: text, icon: Icon, to }) => (
                <li key={to}>
                  <Link to={to} params={{ slug: project.slug }} activeOptions={{ exact: to === "/p/$slug" }} className={styles["entry"]}>
                    <Icon size={16} strokeWidth={1.75} aria-hidden />
                    {text}
                  </Link>
                </li>
              ))}
            </ul>
          </Fragment>
        );
      })}
      <h2 className={styles["heading"]}>{words.tools}</h2>
      <ul>
        {tools.map(({ label, icon: Icon, path }) => (
          <li key={path}>
            <a href={`${serverUrl}/p/${project.id}/${path}`} target="_blank" rel="noreferrer" className={styles["entry"]}>
              <Icon size={16} strokeWidth={1.75} aria-hidden />
              {label}
              <ExternalLink size={14} strokeWidth={1.75} aria-hidden className={styles["out"]} />
              <span className="visually-hidden">{words.opensNew}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
