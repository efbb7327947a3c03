import { Link } from "@tanstack/react-router";
import { BookOpen, Braces, ExternalLink } from "lucide-react";
import type { Project } from "manybase/control";
import { serverUrl } from "../../lib/server";
import { messages } from "../../messages";
import { navigation } from "./navigation";
import styles from "./rail.module.css";

const words = messages.shell;

/** The screens of a project. */
export function Rail({ project }: { project: Project }) {
  const tools = [
    { label: words.reference, icon: BookOpen, path: "docs" },
    { label: words.graphiql, icon: Braces, path: "graphiql" },
  ];
  return (
    <nav aria-label={words.navigation} className={styles["rail"]}>
      <ul>
        {navigation.map(({ label, icon: Icon, to }) => (
          <li key={to}>
            <Link to={to} params={{ slug: project.slug }} activeOptions={{ exact: true }} className={styles["entry"]}>
              <Icon size={16} strokeWidth={1.75} aria-hidden />
              {label}
            </Link>
          </li>
        ))}
      </ul>
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
