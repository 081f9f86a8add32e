import { isHugePages } from "../amounts/pod-amounts.ts";

// quotas: what ResourceQuotas count, and what they refuse. The names of amounts, the usage of one object, the decision, and
// the ledger that charges writes one after the other.

/** `group/plural` of a kind. */
export type CountedKind = string;

const amounts = ["cpu", "memory", "ephemeral-storage"];
const byAlias: ReadonlyMap<string, CountedKind> = new Map([
  ...["pods", ...amounts, ...amounts.flatMap((name) => [`requests.${name}`, `limits.${name}`])].map(
    (name) => [name, "/pods"] as const,
  ),
  ...["services", "services.nodeports", "services.loadbalancers"].map((name) => [name, "/services"] as const),
  ...["configmaps", "replicationcontrollers", "resourcequotas", "secrets"].map((name) => [name, `/${name}`] as const),
]);

/** They are many, and stored twice under two names. Source: Kubernetes, pkg/quota/v1/install. */
const uncounted: readonly CountedKind[] = ["/events", "events.k8s.io/events", "/bindings"];

/** Of kinds that this hub does not serve, and kube-apiserver does: none of them was ever made. */
const unserved = new Set([
  "persistentvolumeclaims",
  "requests.storage",
  "count/persistentvolumeclaims",
  ...["statefulsets", "daemonsets"].map((plural) => `count/${plural}.apps`),
  "count/resourceclaims.resource.k8s.io",
]);

/** The kind whose objects an amount of a quota counts; undefined for a name that nothing is known of. */
export function countedKind(name: string): CountedKind | undefined {
  const alias = byAlias.get(name);
  if (alias !== undefined) return alias;
  if (name.startsWith("count/")) {
    const [plural = "", ...group] = name.slice("count/".length).split(".");
    const kind = `${group.join(".")}/${plural}`;
    return uncounted.includes(kind) ? undefined : kind;
  }
  const isHuge = isHugePages(name) || name.startsWith("requests.hugepages-");
  const isExtended = name.startsWith("requests.") && name.includes("/") && !name.includes("kubernetes.io/");
  return isHuge || isExtended ? "/pods" : undefined;
}

/** True for an amount that is 0 on this hub for ever. */
export function isNeverUsed(name: string): boolean {
  return unserved.has(name) || name.includes(".storageclass.storage.k8s.io/");
}

/** The names by which objects of a kind are counted one by one. */
export function countNames(kind: CountedKind): readonly string[] {
  const [group = "", plural = ""] = kind.split("/");
  return [`count/${plural}${group === "" ? "" : `.${group}`}`, ...(byAlias.get(plural) === kind ? [plural] : [])];
}
