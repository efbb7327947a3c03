import { useRef } from "react";
import { CopyButton } from "../../components/ui/copy-button";
import { providerLabel } from "../../lib/format";
import { signInMessages as words } from "../../messages/sign-in-methods";
import { callbackOf } from "./providers";
import styles from "./sign-in-methods.module.css";

/** The address that is registered with a provider, to copy. */
export function Callback({ baseUrl, provider, hint }: { baseUrl: string; provider: string; hint?: boolean }) {
  const code = useRef<HTMLElement>(null);
  const address = callbackOf(baseUrl, provider);
  return (
    <div className={styles["callback"]}>
      <p>{words.callback}</p>
      <div className={styles["address"]}>
        <code ref={code}>{address}</code>
        <CopyButton text={address} label={words.copyCallback(providerLabel(provider))} source={() => code.current} />
      </div>
      {hint && <p className={styles["secondary"]}>{words.callbackHint}</p>}
    </div>
  );
}
