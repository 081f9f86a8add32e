// join/rollcall/manifests: what runs in a downstream cluster. Hub, chart and `rollcall join` all render it from here.
import { sha256Hex } from "../../../core/digest.ts";
import { canonicalJson, withoutEmptyMaps } from "../../../core/json.ts";
import { isTrueAt } from "../../../core/read-json.ts";
import { agentNames, rollcallAnnotations } from "../../../model/dialects/rollcall.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { AgentValues } from "../agent-values.ts";
import { renderAgentDeployment } from "./agent-deployment.ts";
import type { AgentInstallation } from "./agent-deployment.ts";
import { renderAgentRights } from "./agent-rights.ts";

/** Marks what we put into a downstream cluster. Nothing without it is ever deleted there. */
export const managedByLabels = {
  "app.kubernetes.io/name": "rollcall-agent",
  "app.kubernetes.io/managed-by": "rollcall",
} as const;

export interface RenderedManifest {
  /** In the order they are applied; deleted in the opposite one. No secret is among them. */
  readonly objects: readonly KubeObject[];
  /** The same as text, for the ConfigMap that the agent reads. */
  readonly text: string;
  /** `sha256:<hex>` of the text. */
  readonly digest: string;
}

/** Everything of an installation but the values to join by. */
export function renderManifest(installation: AgentInstallation): RenderedManifest {
  const { namespace } = installation;
  const { agent, identity } = agentNames;
  const objects = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels: { ...managedByLabels } } },
    ...renderAgentRights(namespace, managedByLabels),
    emptyObject("v1", "Secret", identity, namespace),
    emptyObject("coordination.k8s.io/v1", "Lease", agent, namespace),
    renderAgentDeployment(installation, managedByLabels),
  ].map((object) => withoutEmptyMaps<KubeObject>(object));
  const text = canonicalJson(objects);
  return { objects, text, digest: `sha256:${sha256Hex(text)}` };
}

/**
 * Who may change a Deployment makes Pods, and a privileged one is its node. The agent may change its own, so its namespace admits
 * no others than it needs. Source: Kubernetes, Pod Security Admission.
 */
const restricted = { "pod-security.kubernetes.io/enforce": "restricted" } as const;

/**
 * The objects to apply, with the values before the Deployment. The Deployment names the manifest that it is from; the Namespace
 * admits only Pods like those of the agent.
 */
export function installationObjects(manifest: RenderedManifest, values: AgentValues | undefined): KubeObject[] {
  const isInNodeNetwork = manifest.objects.some((object) =>
    isTrueAt(object, "spec", "template", "spec", "hostNetwork"),
  );
  return manifest.objects.flatMap((object) => {
    if (object.kind === "Namespace" && !isInNodeNetwork) return [withLabels(object, restricted)];
    if (object.kind !== "Deployment") return [object];
    const namespace = object.metadata.namespace ?? "";
    const deployment = withManifestDigest(object, manifest.digest);
    return values === undefined ? [deployment] : [valuesSecret(values, namespace), deployment];
  });
}

function withLabels(object: KubeObject, labels: Readonly<Record<string, string>>): KubeObject {
  return { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...labels } } };
}

function withManifestDigest(deployment: KubeObject, digest: string): KubeObject {
  const annotations = { ...deployment.metadata.annotations, [rollcallAnnotations.manifestDigest]: digest };
  return { ...deployment, metadata: { ...deployment.metadata, annotations } };
}

/** The Secret from which an agent reads what it is to join by. */
function valuesSecret(values: AgentValues, namespace: string): KubeObject {
  return {
    ...emptyObject("v1", "Secret", agentNames.values, namespace),
    data: { values: Buffer.from(JSON.stringify(values), "utf8").toString("base64") },
  };
}

function emptyObject(apiVersion: string, kind: string, name: string, namespace: string): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace, labels: { ...managedByLabels } } };
}
