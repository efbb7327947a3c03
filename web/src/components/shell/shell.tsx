import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link, Outlet, useNavigate, useParams, useRouterState } from "@tanstack/react-router";
import { Menu as MenuIcon } from "lucide-react";
import { useEffect, useState, useSyncExternalStore } from "react";
import { me, projects, setupStatus } from "../../app/queries";
import { control } from "../../session";
import { messages } from "../../messages";
import { chooseScheme, schemeChoice, type SchemeChoice } from "../../lib/scheme";
import { IconButton } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Menu, MenuChoice, MenuGroup, MenuItem } from "../ui/menu";
import { Avatar } from "../ui/tile";
import { toast } from "../ui/toast";
import { wordsOf } from "../states/problem";
import { Activity } from "./activity";
import { EnvironmentSwitcher } from "./environment-switcher";
import { Jump } from "./jump";
import { Mark } from "./mark";
import { Rail } from "./rail";
import { ProjectSwitcher } from "./switcher";
import styles from "./shell.module.css";

const words = messages.shell;

const subscribeOnline = (listener: () => void) => {
  addEventListener("online", listener);
  addEventListener("offline", listener);
  return () => {
    removeEventListener("online", listener);
    removeEventListener("offline", listener);
  };
};

function AccountMenu() {
  const { data } = useSuspenseQuery(me);
  const navigate = useNavigate();
  const [scheme, setScheme] = useState<SchemeChoice>(schemeChoice);
  const { name, email, platformRole } = data.user;
  const { data: server } = useQuery(setupStatus);
  const signOut = async () => {
    try {
      await control.signOut();
    } catch (error) {
      toast(wordsOf(error));
    }
  };
  return (
    <Menu
      align="end"
      trigger={
        <IconButton label={words.account(email)}>
          <Avatar name={name || email} />
        </IconButton>
      }
    >
      <MenuGroup label={email}>
        <MenuItem onClick={() => void navigate({ to: "/account" })}>{words.yourAccount}</MenuItem>
        {server?.connectionsEnabled && (
          <MenuItem onClick={() => void navigate({ to: "/account/connections" })}>{words.connections}</MenuItem>
        )}
        {server?.billingEnabled && <MenuItem onClick={() => void navigate({ to: "/account/billing" })}>{words.billing}</MenuItem>}
        {server?.operatorsEnabled && platformRole === "super-admin" && (
          <MenuItem onClick={() => void navigate({ to: "/operator/users" })}>{words.operator}</MenuItem>
        )}
      </MenuGroup>
      <MenuChoice
        label={words.scheme}
        value={scheme}
        choices={(["light", "dark", "system"] as const).map((value) => ({ value, label: words.schemes[value] }))}
        onChange={(next) => {
          chooseScheme(next);
          setScheme(next);
        }}
      />
      <MenuItem onClick={() => void signOut()}>{words.signOut}</MenuItem>
    </Menu>
  );
}

/** The frame of all screens of a person who is signed in. */
export function Shell() {
  const { data: list } = useSuspenseQuery(projects);
  const { slug } = useParams({ strict: false });
  const project = list.find((one) => one.slug === slug);
  const [menu, setMenu] = useState(false);
  const path = useRouterState({ select: (state) => state.location.pathname });
  const online = useSyncExternalStore(subscribeOnline, () => navigator.onLine);
  useEffect(() => setMenu(false), [path]);

  return (
    <div className={styles["shell"]}>
      <a className={styles["skip"]} href="#content" onClick={(event) => {
        event.preventDefault();
        document.getElementById("content")?.focus();
      }}>
        {messages.skip}
      </a>
      <header className={styles["bar"]} data-environment={project?.environment ? "" : undefined}>
        {project && (
          <span className={styles["menu"]}>
            <IconButton label={words.menu} aria-haspopup="dialog" onClick={() => setMenu(true)}>
              <MenuIcon size={16} strokeWidth={1.75} aria-hidden />
            </IconButton>
          </span>
        )}
        <Link to="/" className={styles["brand"]} aria-label={`${messages.product}: ${words.allProjects}`}>
          <Mark />
          <span>{messages.product}</span>
        </Link>
        {project && (
          <>
            <span aria-hidden className={styles["slash"]}>
              /
            </span>
            <ProjectSwitcher projects={list} current={project} />
            <span className={styles["environment"]}>
              <EnvironmentSwitcher projects={list} current={project} />
            </span>
          </>
        )}
        <span className={styles["space"]} />
        <Jump project={project} />
        <Activity />
        <AccountMenu />
      </header>
      {!online && (
        <p role="status" className={styles["offline"]}>
          {words.offline}
        </p>
      )}
      <div className={styles["body"]}>
        {project && (
          <div className={styles["rail"]}>
            <Rail project={project} />
          </div>
        )}
        <main id="content" tabIndex={-1} className={styles["content"]}>
          <Outlet />
        </main>
      </div>
      {project && (
        <Dialog open={menu} onClose={() => setMenu(false)} title={project.name} sheet>
          <Rail project={project} />
        </Dialog>
      )}
    </div>
  );
}
