import { useNavigate } from "@tanstack/react-router";
import { Search } from "lucide-react";
import type { Project } from "manybase/control";
import { useState } from "react";
import { permissions, queryClient, setupStatus } from "../../app/queries";
import { commandKey, type Shortcut } from "../../lib/shortcuts";
import { messages } from "../../messages";
import { wordsOf } from "../states/problem";
import { Key } from "../ui/key";
import { toast } from "../ui/toast";
import { isShown, screens } from "./navigation";
import { focusFilter, useShortcuts } from "./use-shortcuts";
import styles from "./jump.module.css";

const words = messages.shell;
const load = () => import("../palette");
type Parts = Awaited<ReturnType<typeof load>>;

/** The way to every screen: the palette with its button, and the keys. */
export function Jump({ project }: { project: Project | undefined }) {
  const navigate = useNavigate();
  const [parts, setParts] = useState<Parts>();
  const [open, setOpen] = useState<"palette" | "keys">();
  const close = () => setOpen(undefined);
  const show = async (part: "palette" | "keys") => {
    try {
      setParts(await load());
      setOpen(part);
    } catch (error) {
      toast(wordsOf(error));
    }
  };
  const goTo = (letter: string): boolean => {
    const screen = project && screens.find((one) => one.letter === letter);
    if (!screen) return false;
    const perms = queryClient.getQueryData(permissions(project.id).queryKey) ?? [];
    if (!isShown(screen, project, perms, queryClient.getQueryData(setupStatus.queryKey))) return false;
    void navigate({ to: screen.to as "/p/$slug", params: { slug: project.slug } });
    return true;
  };
  useShortcuts((shortcut: Shortcut) => {
    if (shortcut.kind === "go") return goTo(shortcut.letter);
    if (shortcut.kind === "filter") return focusFilter();
    void show(shortcut.kind);
    return true;
  });
  const preload = () => void load().catch(() => undefined);
  return (
    <>
      <button
        type="button"
        aria-label={words.search}
        aria-haspopup="dialog"
        title={words.search}
        className={styles["jump"]}
        onPointerEnter={preload}
        onFocus={preload}
        onClick={() => void show("palette")}
      >
        <Search size={16} strokeWidth={1.75} aria-hidden />
        <span aria-hidden className={styles["text"]}>
          {words.search}
        </span>
        <span aria-hidden className={styles["text"]}>
          <Key>{`${commandKey()} K`}</Key>
        </span>
      </button>
      {parts && open === "palette" && <parts.Palette project={project} onClose={close} onKeys={() => setOpen("keys")} />}
      {parts && open === "keys" && <parts.KeyList project={project} onClose={close} />}
    </>
  );
}
