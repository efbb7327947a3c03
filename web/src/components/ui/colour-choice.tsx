import { messages } from "../../messages";
import styles from "./colour-choice.module.css";
import { Tile, colours } from "./tile";

/** The colour of a project's tile, shown on its name; the value "" is none. */
export function ColourChoice({ label, name, of, initial }: { label: string; name: string; of: string; initial: string | null }) {
  return (
    <fieldset className={styles["colours"]}>
      <legend>{label}</legend>
      {["", ...colours].map((colour) => (
        <label key={colour}>
          <input type="radio" name={name} value={colour} defaultChecked={colour === (initial ?? "")} />
          <Tile name={of} icon={null} color={colour || null} />
          {colour || messages.none}
        </label>
      ))}
    </fieldset>
  );
}
