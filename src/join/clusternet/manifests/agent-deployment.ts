import { digestJson } from "../../../core/digest.ts";
import { clusternetAgentNames } from "../../../model/dialects/clusternet.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";
import type { Member } from "../../../model/member.ts";
import { annotationKeys } from "../../../model/well-known.ts";
import { heartbeatOf } from "../../../planning/cluster-settings.ts";
import type { BootstrapValues } from "../../join.ts";
import { foreignDeployment, schedulingOf } from "../../agent-deployment.ts";
import type { AgentPlace } from "../../agent-deployment.ts";

/** The image of an agent whose Cluster names none. */
const defaultImage = "ghcr.io/clusternet/clusternet-agent";
const defaultVersion = "v0.18.0";

const verbosity = { error: 0, warn: 1, info: 2, debug: 5, trace: 8 } as const;
/** Seconds between two reads of the cluster by the agent, as Clusternet has them. */
const collectSeconds = 20;

/**
 * Clusternet's agent. `whoFlags` contain its name and labels; the token is a flag of it, which a Secret fills in when its
 * Pod starts: `bootstrap`, where it is there, starts a new one.
 */
export function agentDeployment(
  member: Member,
  place: AgentPlace,
  {
    whoFlags,
    bootstrap,
  }: { readonly whoFlags: Readonly<Record<string, string>>; readonly bootstrap: BootstrapValues | undefined },
): KubeObject {
  const { agent, registration } = clusternetAgentNames;
  const settings = member.cluster.spec?.agent ?? {};
  const container = {
    name: agent,
    image: imageOf(member),
    command: ["/usr/local/bin/clusternet-agent", ...agentArguments(member, place.namespace, whoFlags)],
    env: [
      secretEnv("PARENT_URL", registration, "parentURL"),
      secretEnv("REG_TOKEN", registration, "regToken"),
      ...(settings.env ?? []),
    ],
    ...(settings.resources === undefined ? {} : { resources: settings.resources }),
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
  };
  const podSpec = {
    serviceAccountName: agent,
    containers: [container],
    ...schedulingOf(settings),
  };
  const { redeployGeneration = 0 } = settings;
  const annotations = {
    ...(redeployGeneration === 0 ? {} : { "rollcall.dev/redeploy-generation": String(redeployGeneration) }),
    ...(bootstrap === undefined ? {} : { [annotationKeys.installationDigest]: digestJson(bootstrap) }),
  };
  return foreignDeployment(agent, place, settings, {
    spec: podSpec,
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  });
}

function agentArguments({ cluster }: Member, namespace: string, whoFlags: Readonly<Record<string, string>>): string[] {
  const { clusterType, syncMode = "Pull" } = cluster.spec?.clusternet ?? {};
  const { periodSeconds } = heartbeatOf(cluster);
  const flags = {
    "cluster-reg-parent-url": "$(PARENT_URL)",
    "cluster-reg-token": "$(REG_TOKEN)",
    ...whoFlags,
    ...(clusterType === undefined ? {} : { "cluster-reg-type": clusterType }),
    "cluster-sync-mode": syncMode,
    // An agent that the hub may deploy through does not start without this gate.
    ...(syncMode === "Pull" ? {} : { "feature-gates": "AppPusher=true" }),
    "cluster-status-update-frequency": `${periodSeconds}s`,
    "cluster-status-collect-frequency": `${Math.min(collectSeconds, periodSeconds)}s`,
    "leader-elect": "true",
    "leader-elect-resource-namespace": namespace,
    v: String(verbosity[cluster.spec?.agent?.logLevel ?? "info"]),
  };
  return Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
}

function secretEnv(name: string, secret: string, key: string): Record<string, unknown> {
  return { name, valueFrom: { secretKeyRef: { name: secret, key } } };
}

function imageOf(member: Member): string {
  const { agent } = member.cluster.spec ?? {};
  const image = agent?.image ?? defaultImage;
  const lastPart = image.slice(image.lastIndexOf("/") + 1);
  return lastPart.includes(":") || image.includes("@") ? image : `${image}:${agent?.version ?? defaultVersion}`;
}
