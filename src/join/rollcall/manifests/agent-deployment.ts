import { agentNames } from "../../../model/dialects/rollcall.ts";
import type { AgentSettings } from "../../../model/generated/agent-settings.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";

/** Where and how one agent runs. */
export interface AgentInstallation {
  readonly namespace: string;
  /** With tag or digest. */
  readonly image: string;
  readonly settings: AgentSettings;
  /** Seconds until a new version that is not ready counts as failed. */
  readonly deadlineSeconds: number;
}

/** The port that the agent's probes ask; ROLLCALL_HEALTH_PORT carries it to the agent. */
const healthPort = 8765;

const defaultResources = { requests: { cpu: "10m", memory: "64Mi" }, limits: { memory: "128Mi" } };

/** The agent's Deployment: one version is never taken away before the next is ready. */
export function renderAgentDeployment(
  installation: AgentInstallation,
  labels: Readonly<Record<string, string>>,
): KubeObject {
  const { namespace, settings, deadlineSeconds } = installation;
  const selector = { "app.kubernetes.io/name": labels["app.kubernetes.io/name"] ?? agentNames.agent };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: agentNames.agent, namespace, labels: { ...labels } },
    spec: {
      replicas: settings.replicas ?? 1,
      revisionHistoryLimit: 2,
      progressDeadlineSeconds: deadlineSeconds,
      selector: { matchLabels: selector },
      strategy: {
        type: "RollingUpdate",
        // In the node's network two agents would want one port.
        rollingUpdate: settings.hostNetwork ? { maxSurge: 0, maxUnavailable: 1 } : { maxSurge: 1, maxUnavailable: 0 },
      },
      template: { metadata: { labels: { ...labels }, ...redeployMark(settings) }, spec: renderPod(installation) },
    },
  };
}

/** A raised number makes new Pods. */
function redeployMark({ redeployGeneration }: AgentSettings): { annotations?: Record<string, string> } {
  if (redeployGeneration === undefined) return {};
  return { annotations: { "rollcall.dev/redeploy-generation": String(redeployGeneration) } };
}

function renderPod({ image, settings }: AgentInstallation): Record<string, unknown> {
  return {
    serviceAccountName: agentNames.agent,
    automountServiceAccountToken: true,
    terminationGracePeriodSeconds: 15,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      seccompProfile: { type: "RuntimeDefault" },
    },
    ...(settings.hostNetwork ? { hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" } : {}),
    ...present("nodeSelector", settings.nodeSelector ?? { "kubernetes.io/os": "linux" }),
    ...present("affinity", settings.affinity),
    ...present("tolerations", settings.tolerations),
    ...present("priorityClassName", settings.priorityClassName),
    ...present("imagePullSecrets", settings.imagePullSecrets),
    containers: [
      {
        name: "agent",
        image,
        args: ["agent"],
        env: renderEnv(settings),
        ports: [{ name: "health", containerPort: healthPort, protocol: "TCP" }],
        resources: settings.resources ?? defaultResources,
        livenessProbe: { httpGet: { path: "/livez", port: "health" }, periodSeconds: 20, failureThreshold: 3 },
        readinessProbe: { httpGet: { path: "/readyz", port: "health" }, periodSeconds: 5, failureThreshold: 3 },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        },
      },
    ],
  };
}

/** The agent's own variables come first; a Cluster cannot set them. */
function renderEnv(settings: AgentSettings): object[] {
  const own = [
    { name: "ROLLCALL_AGENT_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
    { name: "ROLLCALL_POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    { name: "ROLLCALL_HEALTH_HOST", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
    { name: "ROLLCALL_HEALTH_PORT", value: String(healthPort) },
    { name: "ROLLCALL_LOG_LEVEL", value: settings.logLevel ?? "info" },
  ];
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...(settings.env ?? []).filter(({ name }) => !names.has(name))];
}

function present(key: string, value: object | string | undefined): Record<string, unknown> {
  return value === undefined || Object.keys(value).length === 0 ? {} : { [key]: value };
}
