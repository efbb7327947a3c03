import { useQuery } from "@tanstack/react-query";
import { setupStatus } from "../../app/queries";

/** Whether the server lets projects bring a database of their own; not before it is known. */
export function useMayBring(): boolean {
  const { data } = useQuery(setupStatus);
  return data?.byoEnabled === true;
}
