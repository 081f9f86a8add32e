import { compact } from "../core/compact.ts";
import { digestJson, sha256Hex } from "../core/digest.ts";
import { compareNames } from "../core/compare-names.ts";
import { ownValue } from "../core/own-value.ts";
import { isSuspended } from "../model/is-suspended.ts";
import type { ClusterRecord, LabelRecord } from "../model/generated/cluster-record.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { FleetSummary } from "../model/generated/fleet-summary.ts";
import type { ProblemList } from "../model/generated/problem-list.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { TokenRecord } from "../model/generated/token-record.ts";
import type { HubFacts, Member, TokenSubject } from "../model/member.ts";
import type { Plan } from "../model/plan.ts";
import type { Problem } from "../model/problem.ts";
import { annotationKeys, fieldManagers } from "../model/well-known.ts";
import type { HubObject } from "./hub-objects.ts";
import type { MemberTally, RecordedMember } from "./member-tally.ts";
import { revocationOf } from "./member-tally.ts";
import { ownedContent, ownedLabelKeys } from "./owned-fields.ts";

/** What all records but those of clusters are made of. */
export interface FleetInputs {
  readonly repository: Repository;
  /** Namespaces that are workspaces of the repository now. Default: not known. */
  readonly workspaces?: readonly string[];
  readonly hub: HubFacts;
  readonly tokens: readonly TokenSubject[];
  readonly groupCount: number;
  readonly plan: Plan | undefined;
  readonly problems: readonly Problem[];
  /** What is on the hub and in no file. Default: nothing. */
  readonly hubObjects?: readonly HubObject[];
  /** Where the status branch begins. Default: nothing of it is squashed. */
  readonly history?: FleetSummary["history"];
}

/** The records that are made again in each status commit: they are few, whatever the size of the fleet. */
export interface FleetRecords {
  readonly tokens: readonly TokenRecord[];
  readonly problems: ProblemList;
  readonly summary: FleetSummary;
}

const apiVersion = "rollcall.dev/v1alpha1";
/** Objects that are on the hub and not in git; the record has the number of all of them. */
const recordedHubObjects = 20;

/** Clusters (`workspace/name`) of which a removal waits. */
export function heldClusters(plan: Plan | undefined): ReadonlySet<string> {
  return new Set((plan?.withheld ?? []).map(({ cluster }) => cluster));
}

/**
 * The records but those of clusters, which `tally` has counted. As {@link clusterRecord}, only meaning: the same state gives the
 * same bytes. No heartbeats, no times that move by themselves, nothing secret. An offline plan and `run --restore` read them.
 */
export function computeFleetRecords(inputs: FleetInputs, tally: MemberTally): FleetRecords {
  return {
    tokens: inputs.tokens.map((subject) => tokenRecord(subject)).sort(byNamespaceAndName),
    problems: problemList(inputs),
    summary: fleetSummary(inputs, tally),
  };
}

/** The record of a member. `isHeld`: a removal of it waits, so that its files do not match the hub. Default false. */
export function clusterRecord(
  member: RecordedMember,
  { isHeld = false }: { readonly isHeld?: boolean } = {},
): ClusterRecord {
  const record = makeClusterRecord(member);
  return isHeld ? { ...record, held: ownedContent(member.cluster, fieldManagers.git) } : record;
}

function makeClusterRecord({ cluster, state, workspace, name }: RecordedMember): ClusterRecord {
  const { status = {}, spec = {} } = cluster;
  // Between the decision and the first step only the annotation shows that it leaves.
  const commit = cluster.metadata.annotations?.[annotationKeys.leave];
  const leave = status.leave ?? (commit === undefined ? undefined : { commit });
  const revoked = revocationOf(cluster);
  return {
    apiVersion,
    kind: "ClusterRecord",
    metadata: { name, namespace: workspace },
    ...compact({
      source: status.source,
      protocol: spec.protocol ?? "rollcall",
      joinMode: status.effective?.joinMode,
      clientID: state?.clientID ?? spec.clientID,
      displayName: spec.displayName,
      specDigest: `sha256:${digestJson(spec)}`,
      labels: labelRecords(cluster, state),
      keys: state?.keys
        ? [
            {
              digest: keyDigest(state.keys.signing),
              signingKey: state.keys.signing,
              sealingKey: state.keys.sealing,
            },
          ]
        : undefined,
      join: status.join,
      agent: status.agent ? { ...status.agent } : undefined,
      kubernetesVersion: status.kubernetesVersion,
      platform: status.platform,
      nodes: status.nodes,
      credentialNumber: state?.credential?.number,
      conditions: status.conditions,
      leave: leave ? { ...leave } : undefined,
      suspended: isSuspended(cluster) ? true : undefined,
      revoked,
    }),
  };
}

function tokenRecord({ token, workspace, name }: TokenSubject): TokenRecord {
  const { status = {}, spec = {} } = token;
  return {
    apiVersion,
    kind: "TokenRecord",
    metadata: { name, namespace: workspace },
    ...compact({
      source: status.source,
      specDigest: `sha256:${digestJson(spec)}`,
      secretName: status.secretName,
      expires: status.expires,
      uses: status.uses,
      lastUses: status.lastUses,
      conditions: status.conditions,
    }),
  };
}

function problemList({ repository, plan, problems }: FleetInputs): ProblemList {
  return {
    apiVersion,
    kind: "ProblemList",
    metadata: { name: repository.metadata.name },
    ...(plan?.commit === undefined ? {} : { commit: plan.commit }),
    errors: problems.filter(({ severity }) => severity === "error").length,
    warnings: problems.filter(({ severity }) => severity === "warning").length,
    problems: problems.slice(0, 1000).map((problem) => ({ ...problem })),
  };
}

function hubObjectsRecord(objects: readonly HubObject[]): FleetSummary["hubObjects"] {
  if (objects.length === 0) return undefined;
  const first = objects.slice(0, recordedHubObjects).map(({ object, reason }) => ({ object, reason }));
  return { count: objects.length, first };
}

function fleetSummary(inputs: FleetInputs, tally: MemberTally): FleetSummary {
  const { repository, hub, tokens, problems } = inputs;
  const { spec, status = {} } = repository;
  return {
    apiVersion,
    kind: "FleetSummary",
    metadata: { name: repository.metadata.name },
    rollcallVersion: hub.version,
    hub: { id: hub.hubId, trustKey: hub.trust.publicKey, epoch: hub.trust.epoch, url: hub.endpoint.url },
    repository: compact({
      namespace: repository.metadata.namespace,
      name: repository.metadata.name,
      url: status.url,
      branch: spec.ref?.branch,
      paths: spec.paths,
      workspaces: spec.workspaces,
      workspaceLimit: status.workspaceLimit,
      serves: status.serves,
      knownWorkspaces: inputs.workspaces === undefined ? undefined : [...inputs.workspaces],
      defaultWorkspace: spec.defaultWorkspace,
      suspend: spec.suspend,
      deletionBudget: spec.deletionBudget,
      agentRollout: spec.agentRollout,
      policies: spec.policies,
      verified: spec.verify !== undefined,
      decrypts: spec.decryption !== undefined,
    }),
    ...compact({
      observedCommit: status.observedCommit,
      appliedCommit: status.appliedCommit,
      settledCommit: status.settledCommit,
      settledFrom: status.settledFrom,
      scannedCommit: status.scannedCommit,
      history: inputs.history,
    }),
    counts: {
      ...tally.counts(),
      tokens: tokens.length,
      groups: inputs.groupCount,
      errors: problems.filter(({ severity }) => severity === "error").length,
      warnings: problems.filter(({ severity }) => severity === "warning").length,
      ...compact({
        byState: tally.countsBy("state"),
        byProtocol: tally.countsBy("protocol"),
        byAgentVersion: tally.countsBy("agentVersion"),
        byKubernetesVersion: tally.countsBy("kubernetesVersion"),
      }),
    },
    ...compact({
      removals: status.deletions
        ? { count: status.deletions.count ?? 0, last: status.deletions.last ?? [] }
        : undefined,
      withheld: status.withheld,
      hubObjects: hubObjectsRecord(inputs.hubObjects ?? []),
      waiting: status.waiting && { count: status.waiting.count, first: status.waiting.first },
      approvals: status.approvals,
      leftBehind: emptyToNothing((status.leftBehind ?? []).filter(({ cluster }) => !tally.has(cluster))),
      suspensions: emptyToNothing(tally.suspensions()),
      revocations: emptyToNothing(tally.revocations()),
    }),
  } as FleetSummary;
}

/** Owners in the terms of the record's schema: files and rules share a manager; the status distinguishes them. */
function labelRecords(cluster: Cluster, state: Member["state"]): Record<string, LabelRecord> | undefined {
  const git = ownedLabelKeys(cluster, fieldManagers.git);
  const hub = ownedLabelKeys(cluster, fieldManagers.hub);
  const records: Record<string, LabelRecord> = {};
  for (const [key, value] of Object.entries(cluster.metadata.labels ?? {})) {
    if (key.startsWith("rollcall.dev/")) continue;
    const from = ownValue(cluster.status?.labelOwners ?? {}, key);
    if (git.has(key))
      records[key] = { value, owner: from?.startsWith("rule") ? "Rule" : "File", ...(from ? { from } : {}) };
    else if (hub.has(key)) records[key] = { value, owner: state?.labels?.token?.[key] === value ? "Token" : "Agent" };
  }
  return Object.keys(records).length === 0 ? undefined : records;
}

function keyDigest(spkiBase64: string): string {
  return `sha256:${sha256Hex(Buffer.from(spkiBase64, "base64"))}`;
}

function emptyToNothing<T>(items: readonly T[]): readonly T[] | undefined {
  return items.length === 0 ? undefined : items;
}

interface Named {
  readonly metadata: { readonly namespace?: string; readonly name: string };
}

function byNamespaceAndName(a: Named, b: Named): number {
  return compareNames(`${a.metadata.namespace}/${a.metadata.name}`, `${b.metadata.namespace}/${b.metadata.name}`);
}
