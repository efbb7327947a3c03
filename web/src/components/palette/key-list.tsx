import { useQuery } from "@tanstack/react-query";
import type { Project } from "manybase/control";
import { permissions, setupStatus } from "../../app/queries";
import { commandKey, lettersOn } from "../../lib/shortcuts";
import { paletteMessages } from "../../messages/palette";
import { isShown, screens } from "../shell/navigation";
import { Dialog } from "../ui/dialog";
import { Key } from "../ui/key";
import { Table } from "../ui/table";
import styles from "./palette.module.css";

const words = paletteMessages.keys;

interface Row {
  keys: [string] | [string, string];
  does: string;
}

/** The keys that work on every screen, and those that lead to the screens of a project. */
export function KeyList({ project, onClose }: { project: Project | undefined; onClose(): void }) {
  const { data: perms = [] } = useQuery({ ...permissions(project?.id ?? ""), enabled: project !== undefined });
  const { data: server } = useQuery(setupStatus);
  const command = commandKey();
  const letters: Row[] = [{ keys: ["/"], does: words.filter }, { keys: ["?"], does: words.list }];
  if (project) {
    for (const screen of screens) {
      if (screen.letter && isShown(screen, project, perms, server)) letters.push({ keys: ["g", screen.letter], does: screen.label });
    }
  }
  const rows: Row[] = [
    { keys: [`${command} K`], does: words.palette },
    { keys: [`${command} S`], does: words.save },
    { keys: [`${command} Enter`], does: words.run },
    { keys: ["Escape"], does: words.close },
    ...(lettersOn() ? letters : []),
  ];
  return (
    <Dialog open onClose={onClose} title={words.title} description={lettersOn() ? undefined : words.off} wide>
      <Table
        label={words.title}
        columns={[words.key, words.does]}
        rows={rows.map(({ keys: [first, second], does }) => ({
          key: `${first} ${second ?? ""}`,
          cells: [
            <>
              <Key>{first}</Key>
              {second && (
                <>
                  {" "}
                  {words.then} <Key>{second}</Key>
                </>
              )}
            </>,
            <span className={styles["does"]}>{does}</span>,
          ],
        }))}
      />
    </Dialog>
  );
}
