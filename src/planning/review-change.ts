import { countOf } from "../core/count-of.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { ClusterRegistrationToken } from "../model/generated/cluster-registration-token.ts";
import type { ChangedField, ObjectChange } from "../model/generated/plan-report.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { FieldChange, PredecessorCluster, PlannedChange } from "../model/plan.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys } from "../model/well-known.ts";
import { deletionPolicyOf, gracePeriodOf, isPlacedRemoved } from "./cluster-settings.ts";
import { findCondition } from "./conditions.ts";
import { maskField } from "./mask-values.ts";
import type { Observed } from "./observed.ts";
import { diffOwnedFields } from "./owned-fields.ts";
import { ttlOf } from "./token-life.ts";

/** One planned write with what it means for the fleet. */
export function reviewChange(change: PlannedChange, observed: Observed): ObjectChange {
  const { kind, namespace } = { kind: change.ref.type.kind, namespace: change.ref.namespace };
  const identity = { kind, ...(namespace === undefined ? {} : { namespace }), name: change.ref.name };
  const live = observed.get(change.ref);
  switch (change.kind) {
    case "create":
    case "update": {
      if (change.former) return reviewMove({ ...change, former: change.former }, identity, observed);
      const isSecret = change.ref.type === resourceTypes.secret;
      const place = change.source ? { file: change.source.file, line: change.source.line } : {};
      const fields = change.fields.map((field) => reviewField(field, isSecret)).sort(compareFields);
      if (change.kind === "create") {
        return { action: "Create", ...identity, ...place, effects: effectsOfCreate(change.object), fields };
      }
      return {
        action: "Update",
        ...identity,
        ...place,
        effects: [...effectsOfPatch(change), ...effectsOnPublished(change, live)],
        fields,
      };
    }
    case "delete":
      return { action: "Delete", ...identity, reason: change.reason, effects: effectsOfDelete(kind), fields: [] };
    case "leave":
      return { action: "Leave", ...identity, reason: change.reason, effects: effectsOfOffboarding(live), fields: [] };
  }
}

type MovedChange = Extract<PlannedChange, { kind: "create" | "update" }> & { readonly former: PredecessorCluster };

/** A cluster that is renamed: only what is otherwise than it was there is shown. */
function reviewMove(
  { ref, object, manager, source, former }: MovedChange,
  identity: Pick<ObjectChange, "kind" | "namespace" | "name">,
  observed: Observed,
): ObjectChange {
  const before = observed.get(former.ref);
  const fields = before ? diffOwnedFields(object, before, { manager }) : [];
  const place = source ? { file: source.file, line: source.line } : {};
  const isWorkspaceNew = former.ref.namespace !== ref.namespace;
  return {
    action: "Move",
    ...identity,
    former: `${former.ref.namespace}/${former.ref.name}`,
    ...place,
    effects: [
      isWorkspaceNew
        ? "moves to another workspace: its agent follows and stays installed, its labels and identity are kept"
        : "is renamed: its agent follows and stays installed, its labels and identity are kept",
      "credentials under the old name are revoked when the agent has followed",
    ],
    fields: fields
      .filter(({ path }) => path !== "spec.previousName")
      .map((field) => reviewField(field, false))
      .sort(compareFields),
  };
}

function effectsOfCreate(object: KubeObject): string[] {
  if (object.kind === "Cluster") return effectsOfJoin(object as Cluster);
  if (object.kind === "ClusterRegistrationToken") return effectsOfIssue(object as ClusterRegistrationToken);
  return [];
}

function effectsOfJoin({ spec = {} }: Cluster): string[] {
  const { protocol = "rollcall", kubeConfigSecretRef } = spec;
  const how =
    kubeConfigSecretRef === undefined
      ? "joins when its agent, installed with the values of a token, asks to"
      : `joins at once: the hub installs its agent by the kubeconfig in Secret ${kubeConfigSecretRef.name}`;
  return protocol === "rollcall" ? [how] : [how, `by protocol ${protocol}`];
}

function effectsOfIssue(token: ClusterRegistrationToken): string[] {
  const { maxRegistrations, clusterNames = [], approval } = token.spec ?? {};
  const ttl = ttlOf(token);
  const count =
    maxRegistrations === undefined ? "any number of clusters" : `at most ${countOf(maxRegistrations, "cluster")}`;
  const names = clusterNames.length === 0 ? "" : ` named ${clusterNames.join(", ")}`;
  const effects = [
    `a token is issued: ${count}${names} may join with it, ${ttl === undefined ? "without an end" : `for ${ttl}`}`,
  ];
  if (approval === "PullRequest") effects.push("each of them by a pull request of its own");
  return effects;
}

function effectsOfPatch(change: Extract<PlannedChange, { kind: "create" | "update" }>): string[] {
  return Object.entries(change.patchAnnotations ?? {}).map(([key, value]) => {
    if (key === annotationKeys.leave && value === null) return "its offboarding is cancelled";
    if (key === annotationKeys.revoked) {
      return value === null
        ? "its revocation ends, since its file has changed"
        : "its revocation is tied to this version of its file";
    }
    return value === null ? `annotation ${key} is removed` : `annotation ${key} becomes ${value}`;
  });
}

function effectsOfDelete(kind: string): string[] {
  if (kind === "ClusterRegistrationToken") {
    return ["the token is revoked within 15 seconds: no further cluster can join with it, and those that joined stay"];
  }
  return kind === "ClusterGroup" ? ["the group is deleted; its clusters stay"] : [];
}

function effectsOfOffboarding(live: KubeObject | undefined): string[] {
  if (live === undefined) return [];
  const cluster = live as Cluster;
  const grace = gracePeriodOf(cluster);
  const when = grace === undefined ? "at once" : `after ${grace}`;
  const isUninstalled = deletionPolicyOf(cluster) === "Uninstall";
  return [
    isUninstalled
      ? `${when}: its agent is uninstalled, its credentials are revoked, its objects on the hub are deleted`
      : `${when}: its credentials are revoked, its objects on the hub are deleted; its agent stays installed and is refused`,
    ...placedEffects(cluster),
    ...publishedEffects(cluster),
    ...(isUninstalled
      ? ["a git revert after that makes it join anew; a cluster that the hub cannot reach keeps its agent"]
      : []),
  ];
}

const placedKinds: Readonly<Record<string, string>> = { fleet: "BundleDeployments", kubefleet: "Works" };

/** What becomes of the objects that were placed on it through the hub. */
function placedEffects(cluster: Cluster): string[] {
  const kinds = placedKinds[cluster.spec?.protocol ?? "rollcall"];
  if (kinds === undefined) return [];
  return [
    isPlacedRemoved(cluster)
      ? `first its ${kinds} are deleted, and its agent removes what it applied of them (placedResources: Remove)`
      : `what its agent applied of ${kinds} stays in the cluster (placedResources: Keep)`,
  ];
}

/** A Cluster that loses its kubeconfig loses what is published with it. */
function effectsOnPublished(
  { fields }: { readonly fields: readonly FieldChange[] },
  live: KubeObject | undefined,
): string[] {
  const isLost = fields.some(({ path, to }) => /^spec\.kubeConfigSecretRef(\.name)?$/u.test(path) && to === undefined);
  return isLost && live !== undefined ? publishedEffects(live as Cluster) : [];
}

const passesOn: readonly string[] = ["Published", "PublishedInUse", "PublishedUntilTimeout"];

/** What becomes of the Secrets that were made of its kubeconfig for other tools. */
function publishedEffects({ status }: Cluster): string[] {
  const published = findCondition(status?.conditions, "Published");
  if (published === undefined || !passesOn.includes(published.reason)) return [];
  return [
    `what is published of it stays until no Application, Kustomization or HelmRelease uses it, or until the daemon's --publish-removal-timeout is over: ${published.message}`,
  ];
}

/** Labels first, then the spec, each by name: an order that does not depend on how a file is written. */
function compareFields(a: ChangedField, b: ChangedField): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

/** A value is hidden where it is in a Secret, or where a setting is named as secrets are. */
function reviewField(field: FieldChange, isSecret: boolean): ChangedField {
  if (isSecret && /^(?:data|stringData)\b/u.test(field.path)) return { path: field.path, isHidden: true };
  const { path, from, to, isHidden } = maskField(field);
  return {
    path,
    ...(from === undefined ? {} : { from: JSON.stringify(from) }),
    ...(to === undefined ? {} : { to: JSON.stringify(to) }),
    ...(isHidden === true ? { isHidden } : {}),
  };
}
