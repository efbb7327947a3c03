import { Button } from "../../components/ui/button";
import { Panel } from "../../components/ui/panel";
import { integrationMessages } from "../../messages/integrations";
import type { Provider } from "./catalogue";
import styles from "./integrations.module.css";
import { purposeOf, secretLabel } from "./texts";

const words = integrationMessages.providers;

interface Props {
  providers: readonly Provider[];
  /** Begins an integration of a provider; without it they are shown alone. */
  onBegin?: ((provider: string) => void) | undefined;
}

/** The services of the catalogue with their operations. */
export function Providers({ providers, onBegin }: Props) {
  return (
    <Panel title={words.title}>
      <ul className={styles["providers"]}>
        {providers.map(({ provider, label, secrets, ops }) => (
          <li key={provider}>
            <h3>{label}</h3>
            <p>{purposeOf(provider)}</p>
            <p className={styles["names"]}>
              <span>{words.ops}</span>
              {ops.map(({ name }) => (
                <code key={name}>{name}</code>
              ))}
            </p>
            <p className={styles["names"]}>{words.secrets(secrets.map(secretLabel))}</p>
            {onBegin && (
              <div>
                <Button small aria-label={words.beginNamed(label)} onClick={() => onBegin(provider)}>
                  {words.begin}
                </Button>
              </div>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
