import { createHash } from "node:crypto";
import { firstNameOf } from "../first-name.ts";

/** Whose agent a cluster has, where it is not ours. */
export type ForeignName = "fleet" | "kubefleet" | "clusternet";

export const foreignNames: readonly ForeignName[] = ["fleet", "kubefleet", "clusternet"];

/** A cluster's name decides its protocol, as it does its tier: `fleet-3` has an agent of Rancher Fleet. */
export function foreignOf(cluster: string): ForeignName | undefined {
  const prefix = /^([a-z]+)-/u.exec(firstNameOf(cluster))?.[1];
  return foreignNames.find((one) => one === prefix);
}

/** The token by which agents of a protocol ask; KubeFleet's never do. */
export function doorOf(protocol: ForeignName): string | undefined {
  return protocol === "kubefleet" ? undefined : `${protocol}-door`;
}

/** The id that an agent reports. That of Clusternet is the uid of a Lease in its cluster. */
export function clientIdOf(cluster: string): string {
  const id = `client-${firstNameOf(cluster)}`;
  if (foreignOf(cluster) !== "clusternet") return id;
  const hex = createHash("sha256").update(id).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-");
}
