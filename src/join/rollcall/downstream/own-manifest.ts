import { sha256Hex } from "../../../core/digest.ts";
import { isJsonObject } from "../../../core/json.ts";
import { isTrueAt, numberAt, textAt } from "../../../core/read-json.ts";
import { parseJson } from "../../../core/parse-json.ts";
import { agentNames, rollcallAnnotations } from "../../../model/dialects/rollcall.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";

const defaultDeadlineSeconds = 600;

/** The one object of a manifest that an agent may change: its own Deployment, marked with the manifest's digest. */
export interface OwnDeployment {
  readonly deployment: KubeObject;
  readonly version: string;
  readonly deadlineMs: number;
  /** In the node's network the new agent starts after the old one has stopped: no agent is left to roll back. */
  readonly hasWayBack: boolean;
}

/**
 * Reads the own Deployment out of a manifest's text. Undefined when the text is not the one that the hub named, or holds
 * no Deployment of this name and namespace.
 */
export function readOwnDeployment(text: string, digest: string, namespace: string): OwnDeployment | undefined {
  if (`sha256:${sha256Hex(text)}` !== digest) return undefined;
  const deployment = parseObjects(text).find(
    ({ kind, metadata }) =>
      kind === "Deployment" && metadata.name === agentNames.agent && metadata.namespace === namespace,
  );
  if (deployment === undefined) return undefined;
  const annotations = { ...deployment.metadata.annotations, [rollcallAnnotations.manifestDigest]: digest };
  const image = textAt(deployment, "spec", "template", "spec", "containers", 0, "image") ?? "";
  const deadlineSeconds = numberAt(deployment, "spec", "progressDeadlineSeconds") ?? defaultDeadlineSeconds;
  return {
    deployment: { ...deployment, metadata: { ...deployment.metadata, annotations } },
    version: versionOf(image),
    deadlineMs: deadlineSeconds * 1000,
    hasWayBack: !isTrueAt(deployment, "spec", "template", "spec", "hostNetwork"),
  };
}

/** Digest of the manifest that a live Deployment was made from. */
export function manifestDigestOf(deployment: KubeObject | undefined): string | undefined {
  return deployment?.metadata.annotations?.[rollcallAnnotations.manifestDigest];
}

/** What to apply in order to have a live Deployment again as it is now. */
export function restorableDeployment(live: KubeObject): KubeObject {
  const { name, namespace, labels, annotations } = live.metadata;
  const digest = annotations?.[rollcallAnnotations.manifestDigest];
  return {
    apiVersion: live.apiVersion,
    kind: live.kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(digest === undefined ? {} : { annotations: { [rollcallAnnotations.manifestDigest]: digest } }),
    },
    spec: live["spec"],
  };
}

/** All Pods of a live Deployment are of its newest template and ready. */
export function isRolledOut(deployment: KubeObject): boolean {
  const wanted = numberAt(deployment, "spec", "replicas") ?? 1;
  const status = (key: string) => numberAt(deployment, "status", key) ?? 0;
  return (
    status("observedGeneration") >= (deployment.metadata.generation ?? 0) &&
    status("updatedReplicas") >= wanted &&
    status("availableReplicas") >= wanted &&
    status("replicas") <= wanted
  );
}

function parseObjects(text: string): KubeObject[] {
  const value = parseJson(text);
  return Array.isArray(value) ? value.filter(isKubeObject) : [];
}

function isKubeObject(value: unknown): value is KubeObject {
  return isJsonObject(value) && textAt(value, "kind") !== undefined && textAt(value, "metadata", "name") !== undefined;
}

/** The tag of an image, or its digest. */
function versionOf(image: string): string {
  const [, digest] = image.split("@");
  if (digest !== undefined) return digest;
  const lastPart = image.slice(image.lastIndexOf("/") + 1);
  return lastPart.includes(":") ? lastPart.slice(lastPart.indexOf(":") + 1) : "";
}
