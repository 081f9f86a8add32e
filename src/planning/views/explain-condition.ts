import { ownValue } from "../../core/own-value.ts";
import { shellWord } from "../../core/shell-word.ts";
import type { ConditionView } from "../../model/generated/page-api.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import type { Condition } from "../../model/kubernetes.ts";
import { findCondition } from "../conditions.ts";
import { describeServing } from "../not-served.ts";
import { agentLogCommand, agentNamespaceOf } from "./agent-log.ts";
import { joinCommand } from "./join-command.ts";

/** The order in which a cluster gets well, and what each condition is about. */
const meanings: Readonly<Record<string, string>> = {
  Ready: "The cluster is accepted, joined and healthy.",
  Accepted: "Git declares it, and nothing revoked it.",
  Joined: "Its agent has joined.",
  Healthy: "Its agent sends heartbeats, and reports that the cluster is healthy.",
  AgentUpToDate: "Its agent has the version that git asks for.",
  CredentialsValid: "The credential of its agent is valid.",
  Published: "Other tools have the Secrets that are made of its kubeconfig.",
  ClockSynced: "The clocks of its agent and of the hub agree.",
  Declared: "Every label and field of it comes from git, a token or its agent.",
  Reconciling: "Something is under way.",
  Stalled: "Nothing continues until a user acts.",
};

/** What to do, by the reason that a condition gives. Reasons that pass by themselves are below. */
export const nextSteps: Readonly<Record<string, (cluster: Cluster) => string>> = {
  HeartbeatMissed: (cluster) =>
    `On that cluster: kubectl -n ${shellWord(agentNamespaceOf(cluster))} get pods, and see whether it reaches ${hubUrlOf(cluster)}. ` +
    "If the cluster no longer exists, remove its file.",
  WaitingForAgent: (cluster) => {
    const isUnknown = cluster.spec?.protocol === "fleet" && cluster.spec.clientID === undefined;
    return (
      `${isUnknown ? "Write a clientID into its file, then on that cluster" : "On that cluster"}: ${joinCommand(cluster)}; ` +
      "or name a kubeconfig in its file, and the hub installs the agent."
    );
  },
  AgentInstalled: seeAgentLog,
  KubeconfigMissing: (cluster) => `Put the Secret ${kubeconfigSecretOf(cluster)} on the hub, with a kubeconfig in it.`,
  KubeconfigRefused: (cluster) =>
    `Put a self-contained kubeconfig into Secret ${kubeconfigSecretOf(cluster)}: no files, no commands.`,
  KubeconfigUnauthorized: (cluster) => `Renew the kubeconfig in Secret ${kubeconfigSecretOf(cluster)}.`,
  KubeconfigForbidden: (cluster) =>
    `Give the account of the kubeconfig in Secret ${kubeconfigSecretOf(cluster)} the rights to install the agent.`,
  DownstreamCertificateNotTrusted: (cluster) =>
    `Put the cluster's present CA into the kubeconfig of Secret ${kubeconfigSecretOf(cluster)}.`,
  DownstreamUnreachable: () =>
    "See whether the cluster is up and the hub's network reaches its API server; it is tried again by itself.",
  IdentityLost: () => "Put the agent's key into spec.identity.keys of its file, or restore the hub with run --restore.",
  KeyMismatch: () => "Add its agent's key to spec.identity.keys of its file, or install the agent whose key is there.",
  ClientIDMismatch: () => "Write its agent's clientID into its file, or install the agent that has the one there.",
  Revoked: () =>
    "To admit it again, change its file; install its agent again if it does not return. To remove it, delete its file.",
  RolledBack: () => "Check why the new agent did not start, then change agent.version or agent.redeployGeneration.",
  Expired: () => "Bring its agent back; it asks for the next credential by itself.",
  ClockSkew: () => "Set the clock of the nodes of that cluster, or of the hub: certificates and tokens depend on them.",
  NotInGit: () => "Declare it in a file with the annotation that the message names, or delete it on the hub.",
  NotServed: ({ spec }) =>
    `${describeServing(spec?.protocol ?? "rollcall")} To do without the cluster, remove its file.`,
  EditedOnHub: ({ metadata }) =>
    `Write into the file of ${metadata.name} what the message names and push; or remove it on the hub, for example: ` +
    `kubectl -n ${shellWord(metadata.namespace ?? "")} label clusters.rollcall.dev ${shellWord(metadata.name)} KEY-.`,
  APIServerNotReady: () => seeReadiness,
  ApiServerNotReady: () => seeReadiness,
  NoNodeReady: () => "On that cluster: kubectl get nodes, then kubectl describe node.",
  WaitingForFirstBeat: seeAgentLog,
  WaitingForReport: seeAgentLog,
  InstallFailed: () => "Fix what the message names; the hub then retries automatically.",
  WriteRefused: () =>
    "Fix on the hub what the message names (a right, a quota, a policy); the hub then retries automatically.",
  NamespaceEnding: () =>
    "If this lasts, see what holds that namespace; or name another one in agent.namespace of its file.",
  NameExists: () => "Take the object over as the message describes, or give the cluster another name.",
  NameTaken: () => "Give one of the two clusters another name.",
  VersionSkew: () => "Set agent.version in its file, or by ClusterDefaults, to a version that this hub serves.",
  RolloutStopped: () =>
    "See the clusters that the message names (AgentUpToDate); then change agent.version or agent.redeployGeneration, " +
    "or raise agentRollout.maxFailures of the Repository.",
  Paused: () => "To let its agent be updated, take spec.paused out of its file.",
  PublishedInUse: ({ metadata }) =>
    "Delete what the message names, in the way that keeps or removes its workloads as you want; or remove the Secret at " +
    `once while the cluster leaves: rollcall revoke ${shellWord(`${metadata.namespace}/${metadata.name}`)}.`,
  PublishedUntilTimeout: () =>
    "See that no Application, Kustomization or HelmRelease uses it any more; it is removed by itself then.",
  PublishedNameTaken: () => "Delete or rename the object that the message names; it is tried again once a minute.",
  KubeconfigOfClusterApi: () =>
    "Name a Secret of your own with another credential in kubeConfigSecretRef, or set the annotation " +
    'rollcall.dev/publish-cluster-api-kubeconfig: "true" in its file.',
  Moving: seeAgentLog,
  Leaving: describeOffboarding,
};

/** Reasons of faults that pass without an action of the reader. */
export const passingReasons: readonly string[] = [
  // The previous condition names what is awaited.
  "NotJoined",
  "NotReported",
  "NotIssued",
  // Under way.
  "Issuing",
  "PreparingAgent",
  "Updating",
  "WaitingForWave",
  "AgentSilent",
  "ChangingProtocol",
  // The other project's own matter.
  "External",
  "NotManaged",
];

const seeReadiness = "On that cluster: kubectl get --raw '/readyz?verbose'.";

function seeAgentLog(cluster: Cluster): string {
  return `If this lasts: ${agentLogCommand(cluster)}, on that cluster.`;
}

function describeOffboarding({ spec, status }: Cluster): string {
  switch (status?.leave?.phase) {
    case undefined:
    case "Waiting": {
      const grace = spec?.deletionGracePeriod === undefined ? "" : ` (${spec.deletionGracePeriod})`;
      return `To keep it, bring its file back before the grace period${grace} is over.`;
    }
    case "Uninstalling":
      return (
        "Its agent is being removed; a cluster that cannot be reached is given 15 minutes. " +
        "It cannot be called back any more: to have it again, let it leave and declare it anew."
      );
    default:
      return "It cannot be called back any more: to have it again, let it leave and declare it anew.";
  }
}

/** The conditions of a cluster in the order in which it gets well, each with what it means and what to do next. */
export function explainConditions(cluster: Cluster): ConditionView[] {
  const conditions = cluster.status?.conditions;
  const known = Object.keys(meanings).flatMap((type) => findCondition(conditions, type) ?? []);
  const others = (conditions ?? []).filter(({ type }) => ownValue(meanings, type) === undefined);
  return keepNextOnce([...known, ...others].map((condition) => explain(condition, cluster)));
}

/** Ready repeats the fault of another condition: the next step is shown only at the first of both. */
function keepNextOnce(views: readonly ConditionView[]): ConditionView[] {
  const shown = new Set<string>();
  return views.map(({ next, ...view }) => {
    if (next === undefined || shown.has(next)) return view;
    shown.add(next);
    return { ...view, next };
  });
}

function explain(condition: Condition, cluster: Cluster): ConditionView {
  const { type, status, reason, message, lastTransitionTime: since } = condition;
  const isGood = type === "Stalled" ? status !== "True" : type === "Reconciling" || status === "True";
  const next = isGood ? undefined : ownValue(nextSteps, reason)?.(cluster);
  return {
    type,
    status,
    isGood,
    reason,
    message,
    meaning: ownValue(meanings, type) ?? "A condition of another program.",
    since,
    ...(next === undefined ? {} : { next }),
  };
}

function hubUrlOf({ status }: Cluster): string {
  return status?.effective?.hubURL ?? "the hub";
}

function kubeconfigSecretOf({ metadata, spec }: Cluster): string {
  return `${metadata.namespace}/${spec?.kubeConfigSecretRef?.name ?? "of its file"}`;
}
