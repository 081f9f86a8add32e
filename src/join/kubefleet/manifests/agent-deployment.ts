import { kubefleetAgentNames } from "../../../model/dialects/kubefleet.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../../model/member.ts";
import { foreignDeployment, schedulingOf } from "../../agent-deployment.ts";
import type { AgentPlace } from "../../agent-deployment.ts";

/** The image of an agent whose Cluster names none. */
const defaultImage = "ghcr.io/kubefleet-dev/kubefleet/member-agent";
const defaultVersion = "v0.3.1";

const hardened = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } };
const verbosity = { error: 0, warn: 1, info: 2, debug: 5, trace: 8 } as const;

/**
 * KubeFleet's agent. Its token is a mounted Secret, which is there before the container starts and follows within two
 * minutes; with a `refreshTokenImage` it comes by that sidecar, as by KubeFleet's chart.
 */
export function agentDeployment(member: Member, hub: Pick<HubFacts, "endpoint">, place: AgentPlace): KubeObject {
  const { namespace } = place;
  const { agent, account, secret } = kubefleetAgentNames;
  const { agent: settings = {}, kubefleet } = member.cluster.spec ?? {};
  const sidecarImage = kubefleet?.refreshTokenImage;
  const level = `--v=${verbosity[settings.logLevel ?? "info"]}`;
  const replicas = settings.replicas ?? 1;
  const mount = { name: "provider-token", mountPath: "/config" };
  const container = {
    name: agent,
    image: imageOf(member),
    args: [
      `--leader-elect=${replicas > 1}`,
      `--leader-election-namespace=${namespace}`,
      "--hub-metrics-bind-address=0",
      "--metrics-bind-address=0",
      level,
    ],
    env: [...hubEnvironment(member, hub), ...(settings.env ?? [])],
    resources: settings.resources ?? {
      limits: { cpu: "500m", memory: "1Gi" },
      requests: { cpu: "100m", memory: "128Mi" },
    },
    ports: [
      { containerPort: 8081, name: "hubhealthz", protocol: "TCP" },
      { containerPort: 8091, name: "memberhealthz", protocol: "TCP" },
    ],
    livenessProbe: { httpGet: { path: "/healthz", port: "hubhealthz" } },
    readinessProbe: { httpGet: { path: "/readyz", port: "hubhealthz" } },
    securityContext: hardened,
    volumeMounts: [sidecarImage === undefined ? { ...mount, readOnly: true } : mount],
  };
  const sidecar = {
    name: kubefleetAgentNames.sidecar,
    image: sidecarImage ?? "",
    args: ["secret", `--name=${secret}`, `--namespace=${namespace}`, level],
    securityContext: hardened,
    volumeMounts: [mount],
  };
  const volume = sidecarImage === undefined ? { secret: { secretName: secret } } : { emptyDir: {} };
  const podSpec = {
    serviceAccountName: account,
    containers: sidecarImage === undefined ? [container] : [container, sidecar],
    volumes: [{ name: "provider-token", ...volume }],
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      fsGroup: 65532,
      seccompProfile: { type: "RuntimeDefault" },
    },
    ...schedulingOf(settings),
  };
  return foreignDeployment(agent, place, settings, { spec: podSpec });
}

/** Where the hub is. An empty CA is fatal to the agent: without one it trusts its system's. */
function hubEnvironment(
  member: Member,
  hub: Pick<HubFacts, "endpoint">,
): { readonly name: string; readonly value: string }[] {
  const endpoint = member.cluster.spec?.hubEndpoint;
  const authority = Buffer.from(endpoint?.caBundle ?? hub.endpoint.caBundle, "utf8").toString("base64");
  return [
    { name: "HUB_SERVER_URL", value: endpoint?.url ?? hub.endpoint.url },
    { name: "MEMBER_CLUSTER_NAME", value: member.name },
    { name: "CONFIG_PATH", value: "/config/token" },
    ...(authority === "" ? [] : [{ name: "HUB_CERTIFICATE_AUTHORITY", value: authority }]),
  ];
}

function imageOf(member: Member): string {
  const { agent } = member.cluster.spec ?? {};
  const image = agent?.image ?? defaultImage;
  const lastPart = image.slice(image.lastIndexOf("/") + 1);
  return lastPart.includes(":") || image.includes("@") ? image : `${image}:${agent?.version ?? defaultVersion}`;
}
