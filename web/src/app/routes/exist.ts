import { ManybaseError } from "manybase";

/** Fails like a read of something that does not exist, for screens that this server or this person does not have. */
export function mustExist(condition: boolean): void {
  if (!condition) throw new ManybaseError(404, "NOT_FOUND", "there is nothing at this address");
}
