import { DiffView } from "../../components/editor/diff-view";
import { Alert } from "../../components/states/alert";
import { Button } from "../../components/ui/button";
import { Dialog, DialogActions } from "../../components/ui/dialog";
import { messages } from "../../messages";
import { schemaMessages as words } from "../../messages/schema";
import { CheckResult } from "./check-result";
import type { Draft } from "./use-draft";

interface ReviewProps {
  slug: string;
  collection: string;
  draft: Draft;
  onSave(): void;
}

/** Asks before a schema is saved that stored documents do not fit, or that replaces another person's. */
export function ReviewDialog({ slug, collection, draft, onSave }: ReviewProps) {
  const { review, busy, text, closeReview } = draft;
  if (!review) return null;
  return (
    <Dialog open onClose={closeReview} title={words.review} wide>
      {review.theirs !== undefined && (
        <>
          <Alert tone="warn">{words.reviewChanged}</Alert>
          <DiffView label={words.reviewDiff} before={review.theirs} after={text} language="json" />
        </>
      )}
      {review.failing && <CheckResult slug={slug} collection={collection} result={review.failing} />}
      <DialogActions>
        <Button onClick={closeReview} data-first>
          {messages.cancel}
        </Button>
        <Button look="primary" busy={busy === "save"} onClick={onSave}>
          {words.reviewSave}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
