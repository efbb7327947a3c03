/** The mark of the product. */
export function Mark({ size = 20 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" fill="none" strokeWidth="2.6" strokeLinejoin="round" strokeLinecap="round" aria-hidden>
      <path d="M4 20V5l8 8 8-8v15" stroke="var(--accent)" />
      <path d="M9 20h6" stroke="var(--c2)" />
    </svg>
  );
}
