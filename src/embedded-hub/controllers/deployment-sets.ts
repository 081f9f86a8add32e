import { canonicalJson } from "../../core/json.ts";
import { numberAt, objectAt, textMapAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import {
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  maxSurgeOf,
  revisionAnnotation,
  revisionHistoryAnnotation,
  revisionOf,
  specReplicas,
  templateHashLabel,
} from "./deployment-facts.ts";

const historyLimitChars = 2000;
const nameLimit = 253;
const hashAlphabet = "bcdfghjklmnpqrstvwxz2456789";
const notCopied = new Set<string>([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  "deprecated.deployment.rollback.to",
]);

/** The ReplicaSet for the deployment's present template, with this size and revision. */
export function newReplicaSet(deployment: KubeObject, replicas: number, revision: bigint): KubeObject {
  const { name, namespace, uid = "" } = deployment.metadata;
  const template = objectAt(deployment, "spec", "template");
  const hash = templateHash(deployment);
  const labels = { ...textMapAt(template, "metadata", "labels"), [templateHashLabel]: hash };
  const selector = objectAt(deployment, "spec", "selector");
  const minReadySeconds = numberAt(deployment, "spec", "minReadySeconds");
  const set: KubeObject = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${name.slice(0, nameLimit - hash.length - 1)}-${hash}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels,
      ownerReferences: [
        { apiVersion: "apps/v1", kind: "Deployment", name, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    spec: {
      replicas,
      ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...textMapAt(selector, "matchLabels"), [templateHashLabel]: hash } },
      template: { ...template, metadata: { ...objectAt(template, "metadata"), labels } },
    },
  };
  return withSizeAnnotations(withRevision(deployment, set, revision), deployment);
}

/** The set with the deployment's annotations and at least this revision; the same object when nothing changes. */
export function withRevision(deployment: KubeObject, set: KubeObject, revision: bigint): KubeObject {
  const old = set.metadata.annotations ?? {};
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !notCopied.has(key));
  const annotations: Record<string, string> = { ...old, ...Object.fromEntries(copied) };
  const oldRevision = old[revisionAnnotation];
  if (revisionOf(set) < revision) {
    annotations[revisionAnnotation] = String(revision);
    // The set is rolled back to: what it was called before stays on record.
    if (oldRevision !== undefined) {
      annotations[revisionHistoryAnnotation] = extendHistory(old[revisionHistoryAnnotation] ?? "", oldRevision);
    }
  }
  return withAnnotations(set, annotations);
}

/** The set with the numbers by which a later change of size is recognised. */
export function withSizeAnnotations(set: KubeObject, deployment: KubeObject): KubeObject {
  const replicas = specReplicas(deployment);
  return withAnnotations(set, {
    ...set.metadata.annotations,
    [desiredReplicasAnnotation]: String(replicas),
    [maxReplicasAnnotation]: String(replicas + maxSurgeOf(deployment)),
  });
}

export function withSize(set: KubeObject, replicas: number): KubeObject {
  return { ...set, spec: { ...objectAt(set, "spec"), replicas } };
}

/**
 * A short name for a pod template. Not the number that Kubernetes computes (it hashes Go's memory layout), but of its
 * shape: nothing but equality is ever read from it.
 */
function templateHash(deployment: KubeObject): string {
  const collisionCount = numberAt(deployment, "status", "collisionCount");
  const text = canonicalJson([objectAt(deployment, "spec", "template"), collisionCount ?? null]);
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return [...String(hash)].map((digit) => hashAlphabet[digit.charCodeAt(0) % hashAlphabet.length]).join("");
}

function extendHistory(history: string, revision: string): string {
  const revisions = [...(history === "" ? [] : history.split(",")), revision];
  while (revisions.length > 1 && revisions.join(",").length > historyLimitChars) revisions.shift();
  return revisions.join(",");
}

function withAnnotations(set: KubeObject, annotations: Record<string, string>): KubeObject {
  const old = set.metadata.annotations ?? {};
  const keys = Object.keys(annotations);
  if (keys.length === Object.keys(old).length && keys.every((key) => old[key] === annotations[key])) return set;
  return { ...set, metadata: { ...set.metadata, annotations } };
}
