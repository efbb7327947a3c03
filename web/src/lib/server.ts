// The path of the server's base URL, which the server writes into the page; the development server leaves the mark.
const written = document.querySelector<HTMLMetaElement>('meta[name="manybase-root"]')?.content ?? "";
const root = written.startsWith("{{") ? "" : written;
/** The server's base URL, without a slash at the end. */
export const serverUrl = location.origin + root;
/** The path below which all screens are. */
export const basePath = `${root}/dashboard`;
