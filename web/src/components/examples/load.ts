import { queryOptions } from "@tanstack/react-query";
import type { ConfigDocument } from "../plan/plan";
import type { ExampleName } from "./names";

const loads: Record<ExampleName, () => Promise<{ document: ConfigDocument }>> = {
  blog: () => import("./blog"),
  teams: () => import("./teams"),
  orders: () => import("./orders"),
};

/** The configuration of an example, which is loaded on first use. */
export const exampleOf = (name: ExampleName) =>
  queryOptions({
    queryKey: ["example", name],
    queryFn: async () => (await loads[name]()).document,
    staleTime: Infinity,
  });

interface Variable {
  name: string;
  secret: boolean;
}

/** The variables that a configuration names. */
export const variablesOf = ({ variables = [] }: ConfigDocument): Variable[] => variables as Variable[];
