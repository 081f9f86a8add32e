import { ownValue } from "../core/own-value.ts";
import { nearestName } from "../core/nearest-name.ts";
import type { FileKind } from "../model/generated/schemas.ts";
import { showText } from "./schema-finding.ts";

/** What is done with a document, by its apiVersion and kind. */
export type KindResult =
  /** One of our own kinds: checked by its schema. */
  | { readonly kind: "own"; readonly schema: FileKind }
  /** An accepted kind of another project: it makes a member, a token or a group. */
  | { readonly kind: "foreign"; readonly role: ForeignRole; readonly isNamespaced: boolean }
  | { readonly kind: "secret" }
  /** A real kind of an accepted group that is not used here. */
  | { readonly kind: "ignored"; readonly message: string }
  | {
      readonly kind: "refused";
      readonly message: string;
      readonly fix?: string;
      readonly at: "apiVersion" | "kind";
      /** True when the document may be meant to declare objects of a fleet. */
      readonly mayDeclare: boolean;
      /** True for a list: it is ours only when one of its items is. */
      readonly isList: boolean;
    }
  /** A kind of another project: it has no findings. */
  | { readonly kind: "notOurs" };

/** The kind of ours that an accepted foreign kind maps to; an approval maps to none. */
export type ForeignRole = "Cluster" | "ClusterRegistrationToken" | "ClusterGroup" | "approval";

interface Group {
  readonly versions: readonly string[];
  readonly accepted: Readonly<Record<string, KindResult>>;
  /** Real kinds of the group, with the reason why files of them do nothing. */
  readonly ignored: readonly string[];
  readonly refused: Readonly<Record<string, string>>;
}

const own: readonly FileKind[] = [
  "Cluster",
  "ClusterRegistrationToken",
  "ClusterLabels",
  "ClusterDefaults",
  "ClusterGroup",
  "Policy",
];

const onHub = "objects of this kind are made on the hub, never from files";
const onStatusBranch = "this kind is written to the status branch, never read from files";

/** The groups whose kinds must be known: an unknown kind or version of them is an error, never ignored. */
const groups: Readonly<Record<string, Group>> = {
  "rollcall.dev": {
    versions: ["v1alpha1"],
    accepted: Object.fromEntries(own.map((schema) => [schema, { kind: "own", schema }])),
    ignored: [],
    refused: {
      Repository: onHub,
      ClusterRegistration: onHub,
      ClusterReport: onHub,
      ClusterRecord: onStatusBranch,
      TokenRecord: onStatusBranch,
      FleetSummary: onStatusBranch,
      ProblemList: onStatusBranch,
      StatusSignature: onStatusBranch,
      PlanReport: "this kind is what a plan prints, never read from files",
    },
  },
  "fleet.cattle.io": {
    versions: ["v1alpha1"],
    accepted: {
      Cluster: foreign("Cluster", true),
      ClusterRegistrationToken: foreign("ClusterRegistrationToken", true),
      ClusterGroup: foreign("ClusterGroup", true),
    },
    ignored: [
      "Bundle",
      "BundleDeployment",
      "BundleNamespaceMapping",
      "ClusterRegistration",
      "Content",
      "GitRepo",
      "GitRepoRestriction",
      "HelmOp",
      "ImageScan",
      "Policy",
      "Schedule",
    ],
    refused: {},
  },
  "cluster.kubernetes-fleet.io": {
    versions: ["v1beta1", "v1"],
    accepted: { MemberCluster: foreign("Cluster", false) },
    ignored: ["InternalMemberCluster"],
    refused: {},
  },
  "clusters.clusternet.io": {
    versions: ["v1beta1"],
    accepted: { ManagedCluster: foreign("Cluster", true), ClusterRegistrationRequest: foreign("approval", false) },
    ignored: [],
    refused: {},
  },
};

/** Groups that kinds of an accepted group had before: a file of them declares nothing any more. */
const formerGroups: Readonly<Record<string, { readonly apiVersion: string; readonly kinds: readonly string[] }>> = {
  "fleet.azure.com": { apiVersion: "cluster.kubernetes-fleet.io/v1beta1", kinds: ["MemberCluster"] },
};

/** Kinds that users of these projects choose clusters with. Their groups are not ours: an unknown kind has no findings. */
const placements: Readonly<Record<string, readonly string[]>> = {
  "apps.clusternet.io": ["Subscription"],
  "placement.kubernetes-fleet.io": ["ClusterResourcePlacement", "ResourcePlacement"],
  "placement.kubefleet.dev": ["ClusterPlacementPolicy", "PlacementPolicy"],
};

/**
 * Decides what a document is. Names of groups and kinds that are one slip away from ours are errors with the right
 * name, so that a typo cannot make a declared cluster vanish.
 */
export function evaluateKind(apiVersion: string, kind: string): KindResult {
  const withoutGroup = isVersionAlone(apiVersion) ? evaluateKindOfNoGroup(kind) : undefined;
  if (withoutGroup !== undefined) return withoutGroup;
  if (apiVersion === "v1") return evaluateCoreKind(kind);
  const slash = apiVersion.indexOf("/");
  const groupName = slash < 0 ? apiVersion : apiVersion.slice(0, slash);
  const version = slash < 0 ? "" : apiVersion.slice(slash + 1);
  const group = Object.hasOwn(groups, groupName) ? groups[groupName] : undefined;
  if (group === undefined) {
    const isPlacement = ownValue(placements, groupName)?.includes(kind) ?? false;
    if (isPlacement) return ignored(groupName, kind);
    return evaluateFormerGroup(groupName, kind) ?? evaluateUnknownGroup(groupName, version, kind);
  }
  if (!group.versions.includes(version)) {
    const what =
      version === "" ? "the apiVersion lacks its version" : `version ${showText(version)} of ${groupName} is not known`;
    return refused({ at: "apiVersion", message: what, fix: `Write apiVersion: ${groupName}/${group.versions[0]}.` });
  }
  return evaluateKindOfGroup(groupName, group, kind);
}

function ignored(groupName: string, kind: string): KindResult {
  return { kind: "ignored", message: `${kind} of ${groupName} is not used here; the document is ignored` };
}

function evaluateKindOfGroup(groupName: string, group: Group, kind: string): KindResult {
  if (Object.hasOwn(group.accepted, kind)) return group.accepted[kind] ?? { kind: "notOurs" };
  if (group.ignored.includes(kind)) return ignored(groupName, kind);
  const refusal = Object.hasOwn(group.refused, kind) ? group.refused[kind] : undefined;
  if (refusal !== undefined) {
    return refused({
      message: `${kind}: ${refusal}`,
      fix: "Delete the document from the repository.",
      mayDeclare: false,
    });
  }
  const accepted = Object.keys(group.accepted);
  if (kind.endsWith("List") && accepted.includes(kind.slice(0, -"List".length))) return refusedList(kind);
  const nearest = nearestName(kind, [...accepted, ...group.ignored]);
  const hint = nearest === undefined ? "" : `, did you mean ${nearest}?`;
  return refused({
    message: `kind ${showText(kind)} of ${groupName} is not known${hint}`,
    fix: nearest === undefined ? `Use one of ${accepted.join(", ")}.` : `Write kind: ${nearest}.`,
  });
}

/** True for `v1` and the like. */
export function isVersionAlone(apiVersion: string): boolean {
  return /^v\d+(?:(?:alpha|beta)\d+)?$/u.test(apiVersion);
}

/** Kubernetes has none of our kinds without a group; others have files of a Policy without one. */
function evaluateKindOfNoGroup(kind: string): KindResult | undefined {
  const meant = kind === "Policy" ? undefined : apiVersionOfKind(kind);
  if (meant === undefined) return undefined;
  return refused({
    at: "apiVersion",
    message: "the apiVersion lacks its group",
    fix: `Write apiVersion: ${meant}, or list the file in .rollcallignore if it declares nothing of the fleet.`,
  });
}

function evaluateCoreKind(kind: string): KindResult {
  if (kind === "Secret") return { kind: "secret" };
  if (kind === "List") return refusedList(kind);
  return { kind: "notOurs" };
}

function refusedList(kind: string): KindResult {
  return refused({
    message: `lists (kind ${kind}) are not read`,
    fix: "Write each item as a document of its own, with a line of --- between them.",
    isList: true,
  });
}

/** A kind under the group that it had before. */
function evaluateFormerGroup(groupName: string, kind: string): KindResult | undefined {
  const former = ownValue(formerGroups, groupName);
  if (former === undefined || !former.kinds.includes(kind)) return undefined;
  return refused({
    at: "apiVersion",
    message: `${kind} is no longer of the group ${groupName}`,
    fix: `Write apiVersion: ${former.apiVersion}.`,
  });
}

/** An unknown group, unless it resembles one of our groups and has one of our kinds. */
function evaluateUnknownGroup(groupName: string, version: string, kind: string): KindResult {
  const nearest = nearestName(groupName, Object.keys(groups));
  const group = nearest === undefined ? undefined : ownValue(groups, nearest);
  if (nearest === undefined || group === undefined) return { kind: "notOurs" };
  const kinds = [...Object.keys(group.accepted), ...group.ignored, ...Object.keys(group.refused)];
  const isMeant = isOneSlip(groupName, nearest) ? nearestName(kind, kinds) !== undefined : kinds.includes(kind);
  if (!isMeant) return { kind: "notOurs" };
  const rightVersion = group.versions.includes(version) ? version : group.versions[0];
  return refused({
    at: "apiVersion",
    message: `the group ${showText(groupName)} is not known, did you mean ${nearest}?`,
    fix: `Write apiVersion: ${nearest}/${rightVersion}.`,
  });
}

/** True when two names differ in one short run of at most two characters. */
function isOneSlip(left: string, right: string): boolean {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start++;
  let end = 0;
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end++;
  return Math.max(left.length, right.length) - start - end <= 2;
}

function foreign(role: ForeignRole, isNamespaced: boolean): KindResult {
  return { kind: "foreign", role, isNamespaced };
}

function refused(parts: { message: string } & Partial<Extract<KindResult, { kind: "refused" }>>): KindResult {
  return { at: "kind", mayDeclare: true, isList: false, ...parts, kind: "refused" };
}

/** What a document of an accepted kind has as its apiVersion; undefined for a kind that is none. Own kinds come first. */
export function apiVersionOfKind(kind: string): string | undefined {
  const found = Object.entries(groups).find(([, { accepted }]) => Object.hasOwn(accepted, kind));
  return found && `${found[0]}/${found[1].versions[0]}`;
}
