import { compact } from "../../core/compact.ts";
import { ownValue } from "../../core/own-value.ts";
import { numberOfQuantity } from "../../core/quantity.ts";
import { isSuspended } from "../../model/is-suspended.ts";
import type { MemberState } from "../../model/member-state.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import type {
  BeatView,
  ClusterDetail,
  ClusterRow,
  CommitSummary,
  CredentialView,
  LabelView,
  RequestView,
  ResourceView,
} from "../../model/generated/page-api.ts";
import type { Condition } from "../../model/kubernetes.ts";
import { findCondition, toTime } from "../conditions.ts";
import { heartbeatOf } from "../cluster-settings.ts";
import { ownLabels } from "./cluster-row.ts";
import { explainConditions } from "./explain-condition.ts";
import type { ForgeLinks } from "./forge-links.ts";
import { sourceView } from "./source-view.ts";

const mostLabels = 1000;
const revokedReasons: readonly string[] = ["Revoked", "Leaving"];
const pendingReasons: readonly string[] = ["NotIssued", "Issuing"];

export interface ClusterDetailInputs {
  readonly cluster: Cluster;
  readonly row: ClusterRow;
  /** Only dates and numbers of it are shown; undefined where the hub's state cannot be read. */
  readonly state: MemberState | undefined;
  readonly beats: BeatView;
  readonly links: ForgeLinks;
  /** Agents that were not admitted as it, by requestViews. */
  readonly requests: readonly RequestView[];
  /** The last commits that touched its file, newest first. */
  readonly history: readonly CommitSummary[];
  readonly nowMs: number;
}

/** All that is known of one cluster, explained. `rollcall status <cluster>` and the cluster's page show the same. */
export function clusterDetail(inputs: ClusterDetailInputs): ClusterDetail {
  const { cluster, row, state, beats, links, requests, history, nowMs } = inputs;
  const { status } = cluster;
  return compact({
    cluster: row,
    now: toTime(nowMs),
    conditions: explainConditions(cluster),
    labels: labelViews(cluster, links),
    source: sourceView(status?.source, links),
    settings: settingsView(cluster),
    agent: agentView(cluster),
    join: joinView(cluster),
    credential: credentialView(cluster, state),
    beats,
    platform: status?.platform,
    nodes: status?.nodes && { total: status.nodes.total, ready: status.nodes.ready },
    resources: resourceViews(status?.resources),
    leave: status?.leave && compact({ ...status.leave }),
    requests: requests.length === 0 ? undefined : [...requests],
    history: [...history],
  });
}

function settingsView(cluster: Cluster): ClusterDetail["settings"] {
  const { metadata, spec, status } = cluster;
  const { effective } = status ?? {};
  const { periodSeconds, failureThreshold } = heartbeatOf(cluster, cluster.status?.effective?.heartbeatPeriodSeconds);
  return compact({
    joinMode: effective?.joinMode,
    deletionPolicy: effective?.deletionPolicy,
    heartbeatPeriodSeconds: periodSeconds,
    failureThreshold,
    hubURL: effective?.hubURL,
    clientID: effective?.clientID,
    isPaused: spec?.paused === true ? true : undefined,
    isSuspended: isSuspended({ metadata }) ? true : undefined,
  });
}

function agentView({ spec, status }: Cluster): ClusterDetail["agent"] {
  const version = status?.agent?.version;
  const wanted = spec?.agent?.version;
  const { namespace, refusedVersion } = status?.agent ?? {};
  if (version === undefined && wanted === undefined) return undefined;
  return compact({ version, wanted: wanted === version ? undefined : wanted, refused: refusedVersion, namespace });
}

/** A member of KubeFleet sends no request to join: it has joined since the condition is true. */
function joinView({ status }: Cluster): ClusterDetail["join"] {
  const { join, effective, conditions } = status ?? {};
  const joined = findCondition(conditions, "Joined");
  const time = join?.time ?? (joined?.status === "True" ? joined.lastTransitionTime : undefined);
  return time === undefined
    ? undefined
    : compact({ time, token: join?.token, mode: join?.mode ?? effective?.joinMode });
}

/** From the hub's state where it is readable: the status of a foreign cluster has fewer fields. */
function credentialView({ status }: Cluster, state: MemberState | undefined): ClusterDetail["credential"] {
  const known = state?.credential;
  const reported = status?.credential;
  const validity = credentialState(findCondition(status?.conditions, "CredentialsValid"));
  if (!known && !reported && validity === undefined) return undefined;
  // Number and end of one that is not in use would be shown as those of one that is.
  if (validity !== undefined && validity !== "Valid" && validity !== "Unknown") return { state: validity };
  return compact({
    state: validity ?? "Unknown",
    number: known?.number ?? reported?.number,
    issued: known?.issuedAt,
    expires: known?.expiresAt ?? reported?.expires,
    rotates: reported?.rotates,
  });
}

function credentialState(condition: Condition | undefined): CredentialView["state"] | undefined {
  switch (condition?.status) {
    case undefined:
      return undefined;
    case "True":
      return "Valid";
    case "False":
      return revokedReasons.includes(condition.reason) ? "Revoked" : "Invalid";
    case "Unknown":
      return pendingReasons.includes(condition.reason) ? "NotIssued" : "Unknown";
  }
}

function labelViews(cluster: Cluster, links: ForgeLinks): LabelView[] {
  const owners = cluster.status?.labelOwners ?? {};
  const source = cluster.status?.source;
  return ownLabels(cluster)
    .slice(0, mostLabels)
    .map(([key, value]): LabelView => {
      const owner = ownValue(owners, key) ?? "";
      const [kind = "", ...rest] = owner.split(" ");
      switch (kind) {
        case "file":
          return compact({
            key,
            value,
            owner: "File" as const,
            from: source ? `${source.file}:${source.line ?? 1}` : undefined,
            link: source ? links.file(source.file, { commit: source.commit, line: source.line ?? 1 }) : undefined,
          });
        case "rule":
          return { key, value, owner: "Rule", from: rest.join(" ") };
        case "token":
          return { key, value, owner: "Token", from: rest.join(" ") };
        case "agent":
          return { key, value, owner: "Agent" };
        default:
          return { key, value, owner: "Other" };
      }
    });
}

const resourceOrder = ["cpu", "memory", "pods", "ephemeral-storage"];

/** The resources of all nodes together, the usual ones first; at most 20. */
export function resourceViews(resources: NonNullable<Cluster["status"]>["resources"]): ResourceView[] | undefined {
  if (!resources) return undefined;
  const { capacity = {}, allocatable = {}, available = {} } = resources;
  const names = [...new Set([...Object.keys(capacity), ...Object.keys(allocatable), ...Object.keys(available)])];
  const rank = (name: string): number =>
    (resourceOrder.indexOf(name) + resourceOrder.length + 1) % (resourceOrder.length + 1);
  return names
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .slice(0, 20)
    .map((name) => {
      const whole = numberOfQuantity(ownValue(allocatable, name) ?? ownValue(capacity, name));
      const free = numberOfQuantity(ownValue(available, name));
      const isKnown = whole !== undefined && free !== undefined && whole > 0;
      return compact({
        name,
        capacity: textOf(ownValue(capacity, name)),
        allocatable: textOf(ownValue(allocatable, name)),
        available: textOf(ownValue(available, name)),
        usedPercent: isKnown ? Math.round(Math.min(1, Math.max(0, 1 - free / whole)) * 1000) / 10 : undefined,
      });
    });
}

function textOf(quantity: string | number | undefined): string | undefined {
  return quantity === undefined ? undefined : String(quantity);
}
