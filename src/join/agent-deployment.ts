import { withoutEmptyMaps } from "../core/json.ts";
import type { AgentSettings } from "../model/generated/agent-settings.ts";
import type { KubeObject } from "../model/kubernetes.ts";

/** Where an agent's objects are, and the labels of each. */
export interface AgentPlace {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** What `spec.agent` of a Cluster declares about the Pods of an agent, as fields of a Pod's spec. */
export function schedulingOf(settings: AgentSettings): object {
  const fields: object | undefined = withoutEmptyMaps({
    nodeSelector: settings.nodeSelector,
    affinity: settings.affinity,
    tolerations: settings.tolerations,
    priorityClassName: settings.priorityClassName,
    ...(settings.imagePullSecrets?.length ? { imagePullSecrets: settings.imagePullSecrets } : {}),
    ...(settings.hostNetwork === true ? { hostNetwork: true } : {}),
  });
  return fields ?? {};
}

/**
 * The Deployment of an agent of another project, named `agent`. Its Pods have the label `app: agent`. In the node's
 * network one version ends before the next starts: both would want the same port.
 */
export function foreignDeployment(
  agent: string,
  { namespace, labels }: AgentPlace,
  settings: AgentSettings,
  pod: { readonly spec: object; readonly annotations?: Readonly<Record<string, string>> },
): KubeObject {
  const annotations = pod.annotations === undefined ? {} : { annotations: { ...pod.annotations } };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: agent, namespace, labels: { ...labels } },
    spec: {
      replicas: settings.replicas ?? 1,
      selector: { matchLabels: { app: agent } },
      ...(settings.hostNetwork === true ? { strategy: { type: "Recreate" } } : {}),
      template: { metadata: { labels: { ...labels }, ...annotations }, spec: pod.spec },
    },
  };
}
