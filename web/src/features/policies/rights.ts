import { can } from "../../lib/permissions";

/** Whether the person holds a permission in the project. */
export type Permission = (needed: string) => boolean;

export const permissionOf =
  (perms: readonly string[]): Permission =>
  (needed) =>
    can(perms, needed);
