import type { Project } from "manybase/control";
import { Facts, type Fact } from "../../components/ui/facts";
import { Panel, PanelBody } from "../../components/ui/panel";
import { messages } from "../../messages";
import { settingsMessages as words } from "../../messages/settings";
import { roundSize } from "../../lib/size";
import styles from "./settings.module.css";

const { yes, no, none } = messages;

/** The settings for those who do not change them. */
export function SettingsFacts({ project }: { project: Project }) {
  const { settings } = project;
  const flag = (on?: boolean) => (on ? yes : no);
  const lines = (list?: readonly string[]) => (list?.length ? list.join(", ") : none);
  const facts: Fact[] = [
    [words.project.name, <bdi>{project.name}</bdi>],
    [words.project.icon, project.icon ?? none],
    [words.project.colour, project.color ?? none],
    [words.api.fileSize, roundSize(project.maxFileSize)],
    [words.api.origins, lines(settings.allowedOrigins)],
    [words.users.hide, flag(settings.hideRegistered)],
    [words.users.rotate, flag(settings.rotateRefreshTokens)],
    [words.users.claims, lines(settings.tokenClaims)],
    [words.users.profile, lines(settings.profileFields)],
    [words.tests.require, flag(settings.requireTests)],
  ];
  return (
    <Panel title={words.form}>
      <PanelBody>
        <p className={styles["secondary"]}>{words.readOnly}</p>
        <Facts rows={facts} />
      </PanelBody>
    </Panel>
  );
}
