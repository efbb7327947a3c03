// Where the app finds its backend.
export const server = "http://localhost:8090";
/** The id or slug of the project. */
export const project = "teams";
