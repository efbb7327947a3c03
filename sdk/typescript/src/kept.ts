/** A token, and until when it is used: for four fifths of its life. */
export interface Kept {
  token: string;
  until: number;
  /** When the server refuses it. */
  end: number;
}

/** A token as it was given, by this machine's clock. */
export function keep(token: string, seconds: number): Kept {
  const now = Date.now();
  return { token, until: now + seconds * 800, end: now + seconds * 1000 };
}

/** True for a token that is used without a new one. */
export const isFresh = (one: Kept | undefined): boolean => one !== undefined && Date.now() < one.until;
