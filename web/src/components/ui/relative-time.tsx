import { formatAge, formatUtc } from "../../lib/format";

/** How long ago a moment was, or when it will be; hovering shows it exactly. */
export function Time({ at, className }: { at: string; className?: string }) {
  return (
    <time dateTime={at} title={formatUtc(at)} className={className}>
      {formatAge(at)}
    </time>
  );
}
