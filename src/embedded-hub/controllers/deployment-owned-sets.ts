import { numberAt, objectAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { controllerOf } from "./controller-scope.ts";
import { byRevision, specReplicas, statusCount, sumOf } from "./deployment-facts.ts";
import type { DeploymentParts } from "./deployment-parts.ts";
import { matchesSelector } from "../selectors/object-selector.ts";
import { isPodFinished } from "./pod-facts.ts";

/** Keeps the newest `revisionHistoryLimit` of the old sets that are empty. */
export async function dropOldSets(
  parts: DeploymentParts,
  deployment: KubeObject,
  oldSets: readonly KubeObject[],
): Promise<void> {
  const limit = numberAt(deployment, "spec", "revisionHistoryLimit");
  if (limit === undefined) return;
  const alive = oldSets.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const surplus = [...alive].sort(byRevision).slice(0, Math.max(0, alive.length - limit));
  const empty = surplus.filter(
    (set) =>
      specReplicas(set) === 0 &&
      statusCount(set, "replicas") === 0 &&
      (set.metadata.generation ?? 0) <= statusCount(set, "observedGeneration"),
  );
  await Promise.all(empty.map((set) => parts.writer.remove(set)));
}

/** The sets that the deployment controls, after it adopts strays that fit and releases those that do not. */
export async function claimSets(
  { scope, writer, strays }: DeploymentParts,
  deployment: KubeObject,
): Promise<readonly KubeObject[]> {
  const { namespace = "", name, uid = "", deletionTimestamp } = deployment.metadata;
  const selector = objectAt(deployment, "spec", "selector");
  const owned = scope.owners
    .dependentsOf(uid)
    .filter(({ group, plural }) => group === "apps" && plural === "replicasets")
    .map((set) => writer.get("apps", "replicasets", { namespace: set.namespace, name: set.name }))
    .filter((set) => set !== undefined)
    .filter((set) => controllerOf(set)?.uid === uid);
  const fitting = owned.filter((set) => matchesSelector(selector, set.metadata.labels));
  for (const set of owned.filter((one) => !fitting.includes(one))) {
    const ownerReferences = (set.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid);
    await writer.update({ ...set, metadata: { ...set.metadata, ownerReferences } });
  }
  if (deletionTimestamp !== undefined) return fitting;
  const turn = scope.turns.begin();
  const adopted = [];
  for (const stray of strays.namesIn(namespace)) {
    await turn();
    const set = writer.get("apps", "replicasets", { namespace, name: stray });
    if (set === undefined || controllerOf(set) !== undefined || set.metadata.deletionTimestamp !== undefined) continue;
    if (!matchesSelector(selector, set.metadata.labels)) continue;
    const owner = { apiVersion: "apps/v1", kind: "Deployment", name, uid, controller: true, blockOwnerDeletion: true };
    const ownerReferences = [...(set.metadata.ownerReferences ?? []), owner];
    adopted.push(await writer.update({ ...set, metadata: { ...set.metadata, ownerReferences } }));
  }
  return [...fitting, ...adopted];
}

export function hasOldPods({ scope, writer }: DeploymentParts, oldSets: readonly KubeObject[]): boolean {
  if (sumOf(oldSets, (set) => statusCount(set, "replicas")) > 0) return true;
  return oldSets
    .flatMap(({ metadata }) => scope.owners.dependentsOf(metadata.uid ?? ""))
    .filter(({ group, plural }) => group === "" && plural === "pods")
    .map(({ namespace, name }) => writer.get("", "pods", { namespace, name }))
    .some((pod) => pod !== undefined && !isPodFinished(pod));
}
