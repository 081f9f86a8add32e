import { covers, parseAccept } from "./accept-clauses.ts";
import { mediaTypes } from "./media-types.ts";

/** Whether the client wants all resources of a root in one document (v2) more than its plain list. */
export function wantsAggregation(accept: string | undefined): boolean {
  for (const clause of parseAccept(accept ?? "")) {
    if (!covers(clause, mediaTypes.json)) continue;
    const { parameters } = clause;
    if (!parameters.has("as")) return false;
    const [as, group, version] = ["as", "g", "v"].map((key) => parameters.get(key));
    if (as === "APIGroupDiscoveryList" && group === "apidiscovery.k8s.io" && version === "v2") return true;
  }
  return false;
}
