import type { Json, JsonObject } from "../../core/json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { asJson } from "../metadata/kube-json.ts";
import { objectAt, objectsAt, textAt } from "../../core/read-json.ts";

/** One feature gate that is off in a server without flags, and what of a PodSpec it lets in. */
interface Gate {
  readonly isUsed: (spec: JsonObject) => boolean;
  readonly without: (spec: JsonObject) => JsonObject;
}

const containerLists = ["containers", "initContainers", "ephemeralContainers"];

function containersOf(spec: JsonObject): readonly JsonObject[] {
  return containerLists.flatMap((name) => objectsAt(spec, name));
}

function eachContainer(spec: JsonObject, change: (container: JsonObject, isFirst: boolean) => JsonObject): JsonObject {
  const changed: Record<string, Json | undefined> = { ...spec };
  for (const name of containerLists) {
    if (spec[name] === undefined) continue;
    changed[name] = objectsAt(spec, name).map((container) => change(container, name === "initContainers"));
  }
  return changed;
}

/** ContainerRestartRules: without it only init containers have a policy of their own, "Always". */
const restartRules: Gate = {
  isUsed: (spec) =>
    ["containers", "ephemeralContainers"]
      .flatMap((name) => objectsAt(spec, name))
      .some(
        ({ restartPolicy, restartPolicyRules }) => restartPolicy !== undefined || restartPolicyRules !== undefined,
      ) ||
    objectsAt(spec, "initContainers").some(
      ({ restartPolicy = "Always", restartPolicyRules }) =>
        restartPolicy !== "Always" || restartPolicyRules !== undefined,
    ),
  without: (spec) =>
    eachContainer(spec, (container, isFirst) => {
      const { restartPolicy, restartPolicyRules: _, ...rest } = container;
      return isFirst && restartPolicy === "Always" ? { ...rest, restartPolicy } : rest;
    }),
};

/** ContainerStopSignals. */
const stopSignals: Gate = {
  isUsed: (spec) => containersOf(spec).some((one) => textAt(one, "lifecycle", "stopSignal") !== undefined),
  without: (spec) =>
    eachContainer(spec, (container) => {
      if (textAt(container, "lifecycle", "stopSignal") === undefined) return container;
      const { lifecycle: _, ...rest } = container;
      const { stopSignal: _signal, ...lifecycle } = objectAt(container, "lifecycle") ?? {};
      return Object.keys(lifecycle).length === 0 ? rest : { ...rest, lifecycle };
    }),
};

/** EnvFiles. */
const environmentFiles: Gate = {
  isUsed: (spec) =>
    containersOf(spec).some((one) => objectsAt(one, "env").some((item) => fileKeyOf(item) !== undefined)),
  without: (spec) =>
    eachContainer(spec, (container) => {
      if (container["env"] === undefined) return container;
      const env = objectsAt(container, "env").map((item) => {
        if (fileKeyOf(item) === undefined) return item;
        const { fileKeyRef: _, ...valueFrom } = objectAt(item, "valueFrom") ?? {};
        return { ...item, valueFrom };
      });
      return { ...container, env };
    }),
};

function fileKeyOf(item: JsonObject): JsonObject | undefined {
  return objectAt(item, "valueFrom", "fileKeyRef");
}

/** HostnameOverride. */
const hostnames: Gate = {
  isUsed: (spec) => spec["hostnameOverride"] !== undefined,
  without: ({ hostnameOverride: _, ...spec }) => spec,
};

/** ClusterTrustBundleProjection or PodCertificateRequest: one kind of source of a projected volume. */
function projection(kind: "clusterTrustBundle" | "podCertificate"): Gate {
  const sourcesOf = (volume: JsonObject) => objectsAt(volume, "projected", "sources");
  return {
    isUsed: (spec) =>
      objectsAt(spec, "volumes").some((one) => sourcesOf(one).some((source) => source[kind] !== undefined)),
    without: (spec) => ({
      ...spec,
      volumes: objectsAt(spec, "volumes").map((volume) => {
        const projected = objectAt(volume, "projected");
        if (projected === undefined) return volume;
        const sources = sourcesOf(volume).map(({ [kind]: _, ...source }) => source);
        return { ...volume, projected: { ...projected, sources } };
      }),
    }),
  };
}

/** ImageVolume: the mounts of these volumes are dropped, too. */
const imageVolumes: Gate = {
  isUsed: (spec) => objectsAt(spec, "volumes").some(({ image }) => image !== undefined),
  without: (spec) => {
    const volumes = objectsAt(spec, "volumes").filter(({ image }) => image === undefined);
    const kept = new Set(volumes.map(({ name }) => name));
    const { volumes: _, ...rest } = spec;
    return eachContainer(volumes.length === 0 ? rest : { ...rest, volumes }, (container) => {
      const { volumeMounts: _mounts, ...others } = container;
      const volumeMounts = objectsAt(container, "volumeMounts").filter(({ name }) => kept.has(name));
      return volumeMounts.length === 0 ? others : { ...others, volumeMounts };
    });
  },
};

const gates: readonly Gate[] = [
  ...[restartRules, stopSignals, environmentFiles, hostnames],
  ...[projection("clusterTrustBundle"), projection("podCertificate"), imageVolumes],
];

/**
 * A PodSpec without what needs feature gates that are off in a server without flags. What the old one has stays. Source:
 * Kubernetes, pkg/api/pod dropDisabledFields.
 */
export function withoutUngated(spec: JsonObject, oldSpec: JsonObject | undefined): JsonObject {
  return gates.reduce((left, { isUsed, without }) => {
    const isKept = !isUsed(left) || (oldSpec !== undefined && isUsed(oldSpec));
    return isKept ? left : without(left);
  }, spec);
}

/** The same of an object with a template of Pods at a path. */
export function withoutUngatedIn(object: KubeObject, path: string, old?: KubeObject): KubeObject {
  const steps = [...path.split("."), "spec"];
  if (objectAt(object, ...steps) === undefined) return object;
  return changedAt(asJson(object), steps, objectAt(old, ...steps)) as unknown as KubeObject;
}

function changedAt(
  object: JsonObject,
  [step, ...rest]: readonly string[],
  oldSpec: JsonObject | undefined,
): JsonObject {
  const inner = step === undefined ? undefined : objectAt(object, step);
  return step === undefined || inner === undefined
    ? withoutUngated(object, oldSpec)
    : { ...object, [step]: changedAt(inner, rest, oldSpec) };
}

const scalingRules = ["scaleDown", "scaleUp"] as const;

/** HPAConfigurableTolerance: only an autoscaler that has a tolerance may set one. */
export function withoutTolerance(autoscaler: KubeObject, old?: KubeObject): KubeObject {
  if (!hasTolerance(autoscaler) || (old !== undefined && hasTolerance(old))) return autoscaler;
  const spec = objectAt(autoscaler, "spec");
  const behavior: Record<string, Json | undefined> = { ...objectAt(spec, "behavior") };
  for (const name of scalingRules) {
    const { tolerance: _, ...rules } = objectAt(behavior, name) ?? {};
    if (behavior[name] !== undefined) behavior[name] = rules;
  }
  return { ...autoscaler, spec: { ...spec, behavior } };
}

function hasTolerance(autoscaler: KubeObject): boolean {
  return scalingRules.some((name) => textAt(autoscaler, "spec", "behavior", name, "tolerance") !== undefined);
}
