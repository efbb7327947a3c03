import { useParams } from "@tanstack/react-router";
import { useProject } from "../../app/project";

/** The collection of the address with its project, for its screens. */
export function useCollection() {
  const { collection } = useParams({ from: "/inside/p/$slug/data/$collection" });
  return { ...useProject(), name: collection };
}
