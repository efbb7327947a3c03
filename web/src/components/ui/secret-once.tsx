import { messages } from "../../messages";
import { Alert } from "../states/alert";
import { Button } from "./button";
import { Dialog, DialogActions } from "./dialog";
import { Snippet, type Form } from "./snippet";

interface SecretProps {
  /** Names the secret: "the key". */
  label: string;
  value: string;
  /** Where it belongs. */
  hint: string;
  /** Other forms of it, such as a line of a file. */
  forms?: Form[];
}

/** A secret that is shown once, with a button that copies it. It is never stored: it lives as long as this is drawn. */
function SecretOnce({ label, value, hint, forms = [] }: SecretProps) {
  return (
    <>
      <Alert tone="warn">
        {messages.secret.once} {hint}
      </Alert>
      <Snippet title={label} wrap forms={[{ label, text: value }, ...forms]} />
    </>
  );
}

interface SecretDialogProps extends SecretProps {
  title: string;
  /** The words of the button that closes it. */
  finished: string;
  onClose(): void;
}

/** The same as a window, which asks before it is dismissed. */
export function SecretDialog({ title, finished, onClose, ...secret }: SecretDialogProps) {
  return (
    <Dialog open onClose={onClose} title={title} leaving={messages.secret.leaving}>
      <SecretOnce {...secret} />
      <DialogActions>
        <Button look="primary" onClick={onClose} data-first>
          {finished}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
