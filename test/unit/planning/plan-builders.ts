import type { Declared, DeclaredFleet } from "../../../src/model/declared-fleet.ts";
import { emptyFleet } from "../../../src/model/declared-fleet.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";
import { describeRef, refOf } from "../../../src/model/kubernetes.ts";
import { resourceTypeOf, resourceTypes } from "../../../src/model/resource-types.ts";
import type { Plan } from "../../../src/model/plan.ts";
import type { CoveringApproval } from "../../../src/planning/approvals.ts";
import type { FleetInputs } from "../../../src/planning/plan-fleet.ts";
import { planFleet } from "../../../src/planning/plan-fleet.ts";

export const label = "rollcall-system.fleet";

export function declared(
  name: string,
  spec: Cluster["spec"] = {},
  labels: Record<string, string> = {},
): Declared<Cluster> {
  return {
    object: {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Cluster",
      metadata: { name, namespace: "prod", labels },
      spec,
    },
    position: { file: `clusters/${name}.yaml`, line: 1, column: 1 },
    blobId: name,
  };
}

export function live(
  name: string,
  extra: { labels?: Record<string, string>; annotations?: Record<string, string>; spec?: Cluster["spec"] } = {},
): KubeObject {
  const { labels = {}, annotations = {}, spec = {} } = extra;
  const allLabels = { "rollcall.dev/repository": label, ...labels };
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: {
      name,
      namespace: "prod",
      uid: `uid-${name}`,
      resourceVersion: "7",
      labels: allLabels,
      annotations: { "rollcall.dev/source-file": `clusters/${name}.yaml`, ...annotations },
      managedFields: [
        {
          manager: "rollcall-git",
          operation: "Apply",
          fieldsV1: {
            "f:metadata": { "f:labels": Object.fromEntries(Object.keys(allLabels).map((key) => [`f:${key}`, {}])) },
            ...(Object.keys(spec).length > 0
              ? { "f:spec": Object.fromEntries(Object.keys(spec).map((key) => [`f:${key}`, {}])) }
              : {}),
          },
        },
      ],
    },
    spec,
  };
}

export function fleetOf(...clusters: Declared<Cluster>[]): DeclaredFleet {
  return { ...emptyFleet, clusters };
}

type Overrides = Partial<Omit<FleetInputs, "holds">> & { readonly holds?: Partial<FleetInputs["holds"]> };

export function plan(fleet: DeclaredFleet, objects: readonly KubeObject[], overrides: Overrides = {}): Plan {
  return planFleet(inputsOf(fleet, objects, overrides));
}

export function inputsOf(fleet: DeclaredFleet, objects: readonly KubeObject[], overrides: Overrides = {}): FleetInputs {
  const byRef = new Map(
    objects.map((object) => [describeRef(refOf(resourceTypeOf(object) ?? resourceTypes.cluster, object)), object]),
  );
  const { holds, ...rest } = overrides;
  return {
    repositoryLabel: label,
    commit: "c2",
    base: "c1",
    fleet,
    problems: [],
    holds: {
      hasDocuments: true,
      brokenFiles: new Set(),
      brokenObjects: new Set(),
      hasUnidentifiedNewFile: false,
      files: new Set(fleet.clusters.map(({ position }) => position.file)),
      changedFiles: new Set(),
      wasAppliedBefore: true,
      isForeignHistory: false,
      isApproved: false,
      ...holds,
    },
    observed: {
      isComplete: true,
      get: (ref) => byRef.get(describeRef(ref)),
      list: (type: ResourceType) => objects.filter((object) => resourceTypeOf(object) === type),
      isWorkspace: (namespace) => namespace === "prod",
    },
    recentRemovals: 0,
    rememberedLabels: () => undefined,
    ...rest,
  };
}

/** An approval in the planned commit. */
export function approval(count: number): CoveringApproval {
  return { approval: { commit: "c2", by: "Trailer", count, spent: 0 }, covers: undefined };
}

export const many = Array.from({ length: 20 }, (_, index) => `c${index}`);

/** Changes as `kind workspace/name`. */
export function summarize({ changes }: Plan): string[] {
  return changes.map(({ kind, ref }) => `${kind} ${ref.namespace}/${ref.name}`);
}
