import { compareText } from "../../../core/compare-text.ts";
import { cleanRemoteText } from "../../../core/remote-text.ts";
import type { JsonObject } from "../../../core/json.ts";
import { isTrueAt, numberAt, objectsAt, textAt, textsAt } from "../../../core/read-json.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";

/** States of a BundleDeployment, the worst first. Source: rancher/fleet, StateRank. */
const ranks = ["ErrApplied", "WaitApplied", "Modified", "OutOfSync", "Pending", "NotReady", "Ready"] as const;
export type BundleState = (typeof ranks)[number];

/** Fleet's names of the counts in a summary. */
const summaryKeys: Readonly<Record<BundleState, string>> = {
  ErrApplied: "errApplied",
  WaitApplied: "waitApplied",
  Modified: "modified",
  OutOfSync: "outOfSync",
  Pending: "pending",
  NotReady: "notReady",
  Ready: "ready",
};
const resourceKeys: readonly string[] = [
  ...["ready", "desiredReady", "waitApplied", "modified", "orphaned", "missing", "unknown", "notReady"],
];

/** As many as Fleet keeps in a summary, and of each BundleDeployment in a message. */
const mostNonReady = 10;
const mostResources = 4;
const longestMessage = 1021;

export interface BundleSummary {
  readonly ready: number;
  readonly total: number;
  readonly worst: BundleState;
  /** `status.summary` of Fleet's Cluster. */
  readonly counts: JsonObject;
  /** `status.resourceCounts` of Fleet's Cluster. */
  readonly resourceCounts: Readonly<Record<string, number>>;
  /** What is wrong, in the text that Fleet uses; empty when every BundleDeployment is ready. */
  readonly message: string;
}

/** The state of one BundleDeployment. Source: rancher/fleet, summary.GetDeploymentState. */
export function bundleStateOf(deployment: KubeObject): BundleState {
  const deploymentID = textAt(deployment, "spec", "deploymentID");
  if (textAt(deployment, "status", "appliedDeploymentID") !== deploymentID)
    return textAt(conditionOf(deployment, "Deployed"), "status") === "False" ? "ErrApplied" : "WaitApplied";
  if (!isTrueAt(deployment, "status", "ready")) return "NotReady";
  if (textAt(deployment, "spec", "stagedDeploymentID") !== deploymentID) return "OutOfSync";
  return isTrueAt(deployment, "status", "nonModified") ? "Ready" : "Modified";
}

/** What becomes of all that one cluster is to deploy. Source: rancher/fleet, summary.IncrementState and ReadyMessage. */
export function summarizeBundles(deployments: readonly KubeObject[]): BundleSummary {
  const states = [...deployments]
    .sort((a, b) => compareText(a.metadata.name, b.metadata.name))
    .map((deployment) => ({ deployment, state: bundleStateOf(deployment) }));
  const nonReady = states.filter(({ state }) => state !== "Ready");
  const countOf = (wanted: BundleState): number => states.filter(({ state }) => state === wanted).length;
  const counted = ranks.flatMap((rank): [string, number][] => {
    const count = countOf(rank);
    return count === 0 ? [] : [[summaryKeys[rank], count]];
  });
  const resources = nonReady.slice(0, mostNonReady).map(({ deployment, state }) => {
    const message = messageOf(deployment);
    return { name: deployment.metadata.name, bundleState: state, ...(message === "" ? {} : { message }) };
  });
  return {
    ready: countOf("Ready"),
    total: states.length,
    worst: ranks.find((rank) => states.some(({ state }) => state === rank)) ?? "Ready",
    counts: {
      desiredReady: states.length,
      ready: countOf("Ready"),
      ...Object.fromEntries(counted),
      ...(resources.length === 0 ? {} : { nonReadyResources: resources }),
    },
    resourceCounts: sumResources(deployments),
    message: describeNonReady(nonReady, countOf),
  };
}

/** `status.display` of a BundleDeployment, which Fleet's hub fills for the columns Deployed and Monitored. */
export function displayOf(deployment: KubeObject): JsonObject {
  const shown = (type: string): string | undefined => {
    const condition = conditionOf(deployment, type);
    if (textAt(condition, "reason") === "Error") return `Error: ${clean(textAt(condition, "message") ?? "")}`;
    return textAt(condition, "status")?.slice(0, 16);
  };
  const [deployed, monitored] = ["Deployed", "Monitored"].map(shown);
  return {
    ...(deployed === undefined ? {} : { deployed }),
    ...(monitored === undefined ? {} : { monitored }),
    state: bundleStateOf(deployment),
  };
}

/** One sentence for each state, with the first BundleDeployment that is in it and its first resources. */
function describeNonReady(
  nonReady: readonly { readonly deployment: KubeObject; readonly state: BundleState }[],
  countOf: (state: BundleState) => number,
): string {
  const messages = ranks.flatMap((rank): string[] => {
    const first = nonReady.find(({ state }) => state === rank)?.deployment;
    if (first === undefined) return [];
    const message = messageOf(first);
    const title = `${rank}(${countOf(rank)}) [Bundle ${first.metadata.name}${message === "" ? "" : `: ${message}`}]`;
    return [title, ...describeModified(first), ...describeUnready(first)];
  });
  return clean(messages.sort().join("; "));
}

function messageOf(deployment: KubeObject): string {
  const isCurrent = textAt(deployment, "status", "appliedDeploymentID") === textAt(deployment, "spec", "deploymentID");
  const types = ["Deployed", ...(isCurrent ? ["Installed"] : []), "Monitored"];
  const messages = types.map((type) => textAt(conditionOf(deployment, type), "message") ?? "");
  return clean(messages.find((message) => message !== "") ?? "");
}

function describeModified(deployment: KubeObject): string[] {
  return objectsAt(deployment, "status", "modifiedStatus")
    .slice(0, mostResources)
    .map((resource) => {
      const name = nameOf(resource);
      if (isTrueAt(resource, "missing"))
        return `${name} ${isTrueAt(resource, "exist") ? "is not owned by us" : "missing"}`;
      return isTrueAt(resource, "delete") ? `${name} extra` : `${name} modified ${textAt(resource, "patch") ?? ""}`;
    });
}

function describeUnready(deployment: KubeObject): string[] {
  return objectsAt(deployment, "status", "nonReadyStatus")
    .slice(0, mostResources)
    .map((resource) => {
      const { summary } = resource;
      const flags = [
        isTrueAt(summary, "transitioning") ? "progressing" : "",
        isTrueAt(summary, "error") ? "error" : "",
      ];
      const marks = flags.filter((flag) => flag !== "").join(",");
      if (marks === "") return `${nameOf(resource)} ${textAt(summary, "state") ?? ""}`;
      const message = textsAt(summary, "message").slice(0, mostResources).join(", ");
      return `${nameOf(resource)} [${marks}]${message === "" ? "" : ` ${message}`}`;
    });
}

function nameOf(resource: JsonObject): string {
  const [apiVersion = "", kind = "", namespace = "", name = ""] = ["apiVersion", "kind", "namespace", "name"].map(
    (key) => textAt(resource, key),
  );
  return `${kind.toLowerCase()}.${apiVersion} ${namespace === "" ? "" : `${namespace}/`}${name}`;
}

function sumResources(deployments: readonly KubeObject[]): Record<string, number> {
  const sums = resourceKeys.map((key): [string, number] => {
    const counts = deployments.map((deployment) => numberAt(deployment, "status", "resourceCounts", key) ?? 0);
    return [key, counts.reduce((sum, count) => sum + (Number.isSafeInteger(count) && count > 0 ? count : 0), 0)];
  });
  return Object.fromEntries(sums);
}

function conditionOf(deployment: KubeObject, type: string): JsonObject | undefined {
  return objectsAt(deployment, "status", "conditions").find((condition) => condition["type"] === type);
}

function clean(text: string): string {
  return cleanRemoteText(text, { secrets: [], maximumLength: longestMessage });
}
