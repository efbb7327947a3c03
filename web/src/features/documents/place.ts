/** The document that an address shows, for the question before it is left. */
export const placeOf = ({ pathname, search }: { pathname: string; search: object }): string => {
  const { open, new: made } = search as { open?: string; new?: true };
  return JSON.stringify([pathname, open, made]);
};
