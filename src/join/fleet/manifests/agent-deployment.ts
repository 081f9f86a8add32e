import { withoutEmptyMaps } from "../../../core/json.ts";
import { trimEndOf } from "../../../core/trim-characters.ts";
import { fleetAgentNames } from "../../../model/dialects/fleet.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { Member } from "../../../model/member.ts";
import { heartbeatOf } from "../../../planning/cluster-settings.ts";
import { foreignDeployment, schedulingOf } from "../../agent-deployment.ts";
import type { AgentPlace } from "../../agent-deployment.ts";

/** The image of an agent whose Cluster names none. */
const defaultImage = "rancher/fleet-agent";
const defaultVersion = "v0.16.0";

/** Fleet's agent, with the settings that Fleet's own controllers give it. */
export function agentDeployment(
  member: Member,
  place: AgentPlace,
  annotations: Readonly<Record<string, string>>,
): KubeObject {
  const { spec } = member.cluster;
  const settings = spec?.agent ?? {};
  const { agent } = fleetAgentNames;
  const hasOwnPriority = spec?.fleet?.agentSchedulingCustomization?.priorityClass !== undefined;
  const priorityClassName = settings.priorityClassName ?? (hasOwnPriority ? fleetAgentNames.priorityClass : undefined);
  const isDebug = settings.logLevel === "debug" || settings.logLevel === "trace";
  const container = {
    name: agent,
    image: imageOf(member),
    command: ["fleetagent", ...(isDebug ? ["--debug", "--debug-level", "0"] : [])],
    env: [
      { name: "NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
      // Who it is in its election: one that starts again in the same Pod need not wait for its own Lease to end.
      { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "AGENT_SCOPE", value: settings.namespace ?? "" },
      { name: "CHECKIN_INTERVAL", value: `${heartbeatOf(member.cluster).periodSeconds}s` },
      { name: "CATTLE_ELECTION_LEASE_DURATION", value: "30s" },
      { name: "CATTLE_ELECTION_RETRY_PERIOD", value: "10s" },
      { name: "CATTLE_ELECTION_RENEW_DEADLINE", value: "25s" },
      ...(settings.env ?? []),
    ],
    ...(settings.resources === undefined ? {} : { resources: settings.resources }),
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      privileged: false,
      capabilities: { drop: ["ALL"] },
    },
    volumeMounts: [
      { name: "kube", mountPath: "/.kube" },
      { name: "tmp", mountPath: "/tmp" },
    ],
  };
  const preferred = {
    weight: 1,
    preference: { matchExpressions: [{ key: "fleet.cattle.io/agent", operator: "In", values: ["true"] }] },
  };
  const podSpec = withoutEmptyMaps({
    serviceAccountName: agent,
    containers: [container],
    volumes: [
      { name: "kube", emptyDir: { medium: "Memory" } },
      { name: "tmp", emptyDir: { sizeLimit: "1Gi" } },
    ],
    ...schedulingOf(settings),
    nodeSelector: { "kubernetes.io/os": "linux", ...settings.nodeSelector },
    affinity: settings.affinity ?? {
      nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [preferred] },
    },
    tolerations: [
      { key: "node.cloudprovider.kubernetes.io/uninitialized", operator: "Equal", value: "true", effect: "NoSchedule" },
      { key: "cattle.io/os", operator: "Equal", value: "linux", effect: "NoSchedule" },
      ...(settings.tolerations ?? []),
    ],
    priorityClassName,
    securityContext: { runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000 },
  });
  return foreignDeployment(agent, place, settings, { spec: podSpec, annotations });
}

/** The image with its tag, behind the registry that the Cluster names. */
function imageOf(member: Member): string {
  const { agent, fleet } = member.cluster.spec ?? {};
  const image = agent?.image ?? defaultImage;
  const lastPart = image.slice(image.lastIndexOf("/") + 1);
  const full = lastPart.includes(":") || image.includes("@") ? image : `${image}:${agent?.version ?? defaultVersion}`;
  return fleet?.privateRepoURL === undefined ? full : `${trimEndOf(fleet.privateRepoURL, "/")}/${full}`;
}
