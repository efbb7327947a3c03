import { Toast } from "@base-ui/react/toast";
import { X } from "lucide-react";
import { messages } from "../../messages";
import button from "./button.module.css";
import styles from "./toast.module.css";

const manager = Toast.createToastManager();

/** Confirms what was done. Failures are shown where they happened, not here. */
export const toast = (text: string): void => void manager.add({ title: text });

function Toasts() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((each) => (
    <Toast.Root key={each.id} toast={each} className={styles["toast"]} swipeDirection={[]}>
      <Toast.Content className={styles["content"]}>
        <Toast.Title className={styles["title"]} />
        <Toast.Close aria-label={messages.close} className={button["icon"]}>
          <X size={14} aria-hidden />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}

export function ToastArea() {
  return (
    <Toast.Provider toastManager={manager} limit={3}>
      <Toast.Portal>
        <Toast.Viewport className={styles["area"]} aria-label={messages.notices}>
          <Toasts />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}
