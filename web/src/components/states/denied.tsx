import { messages } from "../../messages";
import { Alert } from "./alert";

/** In place of a screen that the person's role does not open; without a permission, Owners alone open it. */
export function Denied({ permission }: { permission?: string }) {
  return <Alert tone="warn">{permission === undefined ? messages.deniedRole : messages.denied(permission)}</Alert>;
}
