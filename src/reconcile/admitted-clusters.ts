import { stringify } from "yaml";
import { sha256Hex } from "../core/digest.ts";
import { quotedForAll } from "../core/yaml/quoted-for-all.ts";
import type { HubView } from "../hub/hub-view.ts";
import type { IndexedView } from "../hub/view-index.ts";
import { viewIndex } from "../hub/view-index.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { HubChange } from "../model/hub-change.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { MemberState } from "../model/member-state.ts";
import type { Member } from "../model/member.ts";
import { repositoryLabelOf } from "../model/repository-label.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, fieldManagers, isReservedLabelKey, labelKeys } from "../model/well-known.ts";
import { isAppliedBy } from "../planning/owned-fields.ts";
import { proposedPath } from "./proposals.ts";

/** Files of one token that are proposed at the same time; further ones wait until these are merged. */
const openAtMost = 100;

export interface AdmittedCluster {
  readonly live: KubeObject;
  /** Its file. */
  readonly text: string;
}

/** Whether files are proposed for clusters that a token admitted already. */
export function isProposingAdmitted({ proposals, writeBack }: Repository["spec"]): boolean {
  const mode = writeBack?.mode ?? "Branch";
  // A Repository that keeps its status elsewhere, or nowhere, may have no right to push here.
  return (proposals?.clusters ?? (mode === "Branch" ? "All" : "Pending")) === "All";
}

/**
 * The files that declare what tokens admitted, by token (`workspace/name`). Of a cluster that leaves, moves or is revoked
 * there is none: its file would bring it back.
 */
export function admittedClusters(view: AdmittedView, repository: Repository): Map<string, readonly AdmittedCluster[]> {
  const byToken = new Map<string, AdmittedCluster[]>();
  for (const { metadata } of notApplied(view, repositoryLabelOf(repository))) {
    const { namespace: workspace = "", name } = metadata;
    const member = view.isWorkspace(workspace) ? view.memberOf(workspace, name) : undefined;
    if (member?.state?.join?.token === undefined || !isUndeclared(member, member.state)) continue;
    const key = `${workspace}/${member.state.join.token}`;
    const clusters = byToken.get(key) ?? [];
    byToken.set(key, clusters);
    if (clusters.length < openAtMost) clusters.push({ live: member.cluster, text: textOf(member, member.state) });
  }
  return byToken;
}

export type AdmittedView = Pick<HubView, "isWorkspace" | "memberOf" | "list" | "subscribe">;

/** Clusters of a Repository that git did not apply, as an index: the cost of a read does not grow with the fleet. */
const notApplied = viewIndex<IndexedView>(resourceTypes.cluster, (live) => {
  const label = live.metadata.labels?.[labelKeys.repository];
  return label === undefined || isAppliedBy(live, fieldManagers.git) ? [] : [label];
});

const endMarks = [annotationKeys.leave, annotationKeys.movedTo, annotationKeys.revoked];

/** Whether no file ever declared a cluster that git did not apply, and nothing ends or moves it. */
function isUndeclared({ cluster, former }: Member, { origin, formerProtocol }: MemberState): boolean {
  const { annotations = {}, deletionTimestamp } = cluster.metadata;
  return (
    origin?.isDeclared !== true &&
    formerProtocol === undefined &&
    former === undefined &&
    deletionTimestamp === undefined &&
    endMarks.every((key) => annotations[key] === undefined)
  );
}

/** The change of files that declares it; `paths`: all of the commit. */
export function declaringChange(
  { live, text }: AdmittedCluster,
  { spec }: Repository,
  paths: ReadonlySet<string>,
): HubChange {
  const { namespace: workspace = "", name } = live.metadata;
  const path = proposedPath(spec.proposals?.path, { workspace, name }, (each) => paths.has(each));
  return {
    live,
    object: `Cluster/${workspace}/${name}`,
    workspace,
    policy: "Propose",
    managers: [],
    users: [],
    path,
    file: { kind: "Create", text },
  };
}

function textOf(member: Member, state: MemberState): string {
  return stringify(fileOf(member, state), quotedForAll);
}

/** The cluster as it is: who its agent is, and the labels that came with it, as far as no rule has replaced them. */
function fileOf(
  { workspace, name, cluster }: Member,
  { labels: remembered, clientID, keys, origin }: MemberState,
): Cluster {
  const known = { ...remembered?.agent, ...remembered?.token };
  const labels = Object.entries(known).filter(
    ([key, value]) => !isReservedLabelKey(key) && cluster.metadata.labels?.[key] === value,
  );
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: {
      name,
      namespace: workspace,
      ...(labels.length === 0 ? {} : { labels: Object.fromEntries(labels) }),
    },
    spec: {
      ...origin?.spec,
      ...(clientID === undefined ? {} : { clientID }),
      ...(keys ? { identity: { keys: [`sha256:${sha256Hex(Buffer.from(keys.signing, "base64"))}`] } } : {}),
    },
  };
}
