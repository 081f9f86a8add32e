import { isQuantityError, parseQuantity } from "../../core/formats/quantity.ts";
import { ownValue } from "../../core/own-value.ts";
import type { JsonObject } from "../../core/json.ts";
import { numberAt, objectAt, objectsAt, textAt, textMapAt, textsAt } from "../../core/read-json.ts";
import { warnOfAddress } from "./legacy-addresses.ts";

// Source of this file: Kubernetes, pkg/api/pod/warnings.go and pkg/api/node/util.go. Without what it warns of volumes.

const oldNodeLabels: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  "app.kubernetes.io/created-by": "deprecated since v1.9",
  "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
  "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
};

const oldAnnotations: Readonly<Record<string, string>> = {
  "scheduler.alpha.kubernetes.io/critical-pod": 'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
  "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
};

/** A container and its path. */
type Placed = readonly [container: JsonObject, path: string];

/**
 * What a valid Pod or template of Pods may have and should not. `path` is that of the template, and empty for a Pod; the
 * specs of old ones are not read.
 */
export function warnOfPod(pod: JsonObject, path = ""): string[] {
  const spec = objectAt(pod, "spec") ?? {};
  const prefix = path === "" ? "" : `${path}.`;
  const specPath = `${prefix}spec`;
  const containers = ["initContainers", "containers", "ephemeralContainers"].flatMap((name) =>
    objectsAt(spec, name).map((container, index): Placed => [container, `${specPath}.${name}[${index}]`]),
  );
  const annotations = textMapAt(pod, "metadata", "annotations");
  return [
    ...warnOfNodes(spec, specPath),
    ...warnOfSpread(spec, specPath),
    ...Object.entries(oldAnnotations).flatMap(([key, text]) =>
      annotations[key] === undefined ? [] : [`${prefix}metadata.annotations[${key}]: ${text}`],
    ),
    ...warnOfRepeats(objectsAt(spec, "hostAliases"), `${specPath}.hostAliases`, "ip"),
    ...warnOfRepeats(objectsAt(spec, "imagePullSecrets"), `${specPath}.imagePullSecrets`, "name"),
    ...objectsAt(spec, "imagePullSecrets").flatMap(({ name = "" }, index) =>
      name === "" ? [`${specPath}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
    ...objectsAt(spec, "volumes").flatMap(warnOfSources),
    ...containers.flatMap(([container, at]) => [
      ...warnOfBytes(objectAt(container, "resources") ?? {}, `${at}.resources`),
      ...warnOfEnvironment(objectsAt(container, "env"), `${at}.env`),
    ]),
    ...warnOfPorts(containers),
    ...warnOfPortNames(containers),
    ...((numberAt(spec, "terminationGracePeriodSeconds") ?? 0) < 0
      ? [
          `${specPath}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...["podAffinity", "podAntiAffinity"].flatMap((kind) => warnOfAffinity(spec, specPath, kind)),
    ...textsAt(spec, "dnsConfig", "nameservers").flatMap((address, index) =>
      warnOfAddress(address, `${specPath}.dnsConfig.nameservers[${index}]`),
    ),
    ...objectsAt(spec, "hostAliases").flatMap((alias, index) =>
      warnOfAddress(textAt(alias, "ip") ?? "", `${specPath}.hostAliases[${index}].ip`),
    ),
  ];
}

/** A source of a kind that this server does not know, or that is behind a gate, is an empty one. */
function warnOfSources(volume: JsonObject): string[] {
  const isEmpty = objectsAt(volume, "projected", "sources").some((source) => Object.keys(source).length === 0);
  return isEmpty ? [`volume ${JSON.stringify(volume["name"] ?? "")} (Projected) has no sources provided`] : [];
}

function warnOfNodes(spec: JsonObject, path: string): string[] {
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  const affinity = objectAt(spec, "affinity", "nodeAffinity");
  const at = `${path}.affinity.nodeAffinity`;
  return [
    ...Object.keys(objectAt(spec, "nodeSelector") ?? {}).flatMap((key) =>
      warnOfOldLabel(key, `${path}.nodeSelector[${key}]`),
    ),
    ...objectsAt(affinity, required, "nodeSelectorTerms").flatMap((term, index) =>
      warnOfOldKeys(term, `${at}.${required}.nodeSelectorTerms[${index}]`),
    ),
    ...objectsAt(affinity, preferred).flatMap((term, index) =>
      warnOfOldKeys(objectAt(term, "preference"), `${at}.${preferred}[${index}].preference`),
    ),
  ];
}

/** Expressions that select Nodes by labels with another name now. */
export function warnOfOldKeys(selector: JsonObject | undefined, path: string): string[] {
  return objectsAt(selector, "matchExpressions").flatMap((expression, index) => {
    const key = textAt(expression, "key") ?? "";
    const text = ownValue(oldNodeLabels, key);
    return text === undefined ? [] : [`${path}.matchExpressions[${index}].key: ${key} is ${text}`];
  });
}

/** A label of Nodes that has another name now. */
export function warnOfOldLabel(key: string, path: string): string[] {
  const text = ownValue(oldNodeLabels, key);
  return text === undefined ? [] : [`${path}: ${text}`];
}

const selectsNone = "a null labelSelector results in matching no pod";

function warnOfSpread(spec: JsonObject, path: string): string[] {
  return objectsAt(spec, "topologySpreadConstraints").flatMap((constraint, index) => {
    const at = `${path}.topologySpreadConstraints[${index}]`;
    const key = textAt(constraint, "topologyKey") ?? "";
    const text = ownValue(oldNodeLabels, key);
    return [
      ...(text === undefined ? [] : [`${at}.topologyKey: ${key} is ${text}`]),
      ...(constraint["labelSelector"] === undefined ? [`${at}.labelSelector: ${selectsNone}`] : []),
    ];
  });
}

function warnOfAffinity(spec: JsonObject, path: string, kind: string): string[] {
  const affinity = objectAt(spec, "affinity", kind);
  const each = (field: string, step: string): string[] =>
    objectsAt(affinity, field).flatMap((item, index) => {
      const term = step === "" ? item : objectAt(item, step);
      const at = `${path}.affinity.${kind}.${field}[${index}]${step === "" ? "" : `.${step}`}`;
      return term?.["labelSelector"] === undefined ? [`${at}.labelSelector: ${selectsNone}`] : [];
    });
  return [
    ...each("requiredDuringSchedulingIgnoredDuringExecution", ""),
    ...each("preferredDuringSchedulingIgnoredDuringExecution", "podAffinityTerm"),
  ];
}

function warnOfRepeats(items: readonly JsonObject[], path: string, key: "ip" | "name"): string[] {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const value = textAt(item, key) ?? "";
    if (seen.has(value)) return [`${path}[${index}].${key}: duplicate ${key} ${JSON.stringify(value)}`];
    seen.add(value);
    return [];
  });
}

function warnOfBytes(resources: JsonObject, path: string): string[] {
  return ["memory", "ephemeral-storage"].flatMap((name) =>
    ["limits", "requests"].flatMap((half) => {
      const text = textAt(resources, half, name) ?? "0";
      const quantity = parseQuantity(text);
      const isWhole = isQuantityError(quantity) || quantity.nanos % 1_000_000_000n === 0n;
      const fault = `fractional byte value ${JSON.stringify(text)} is invalid, must be an integer`;
      return isWhole ? [] : [`${path}.${half}[${name}]: ${fault}`];
    }),
  );
}

function warnOfEnvironment(env: readonly JsonObject[], path: string): string[] {
  const seen = new Set<string>();
  return env.flatMap((item, index) => {
    const name = textAt(item, "name") ?? "";
    const value = textAt(item, "value") ?? "";
    const isSeen = seen.has(name);
    seen.add(name);
    const reference = `$(${name})`;
    const isHidden = item["valueFrom"] !== undefined || value === reference || !value.includes(reference);
    if (!isSeen || !isHidden) return [];
    return [
      `${path}[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ];
  });
}

/** Each port is compared with so many others of its number: their warnings would not fit into an answer. */
const mostCompared = 8;

interface PlacedPort {
  readonly path: string;
  readonly address: string;
  readonly hostPort: number;
}

function warnOfPorts(containers: readonly Placed[]): string[] {
  const known = new Map<string, PlacedPort[]>();
  return portsOf(containers).flatMap(([port, path]) => {
    const [address, hostPort] = [textAt(port, "hostIP") ?? "", numberAt(port, "hostPort") ?? 0];
    const [number, protocol] = [numberAt(port, "containerPort") ?? 0, textAt(port, "protocol") ?? ""];
    const printed = `{Name:${textAt(port, "name") ?? ""} HostPort:0 ContainerPort:${number} Protocol:${protocol} HostIP:${address}}`;
    const others = known.get(`${number}/${protocol}`) ?? [];
    const placed = { path, address, hostPort };
    const warnings = others.flatMap((other) => {
      const relation = relationOf(placed, other);
      return relation === undefined ? [] : [`${path}: ${relation} port definition with ${other.path}`];
    });
    if (others.length < mostCompared) known.set(`${number}/${protocol}`, [...others, placed]);
    return address !== "" && hostPort === 0
      ? [`${path}: hostIP set without hostPort: ${printed}`, ...warnings]
      : warnings;
  });
}

function relationOf(port: PlacedPort, other: PlacedPort): string | undefined {
  if (port.address === other.address && port.hostPort === other.hostPort) return "duplicate";
  if (port.hostPort === 0 || other.hostPort === 0) return "overlapping";
  const isAmbiguous = port.hostPort === other.hostPort && (port.address === "") !== (other.address === "");
  return isAmbiguous ? "dangerously ambiguous" : undefined;
}

function portsOf(containers: readonly Placed[]): readonly Placed[] {
  return containers.flatMap(([container, at]) =>
    objectsAt(container, "ports").map((port, index): Placed => [port, `${at}.ports[${index}]`]),
  );
}

function warnOfPortNames(containers: readonly Placed[]): string[] {
  const known = new Map<string, string>();
  return portsOf(containers).flatMap(([port, path]) => {
    const name = textAt(port, "name") ?? "";
    const other = known.get(name);
    if (name === "") return [];
    if (other === undefined) known.set(name, path);
    if (other === undefined) return [];
    const use = `services and probes that select ports by name will use ${other}`;
    return [`${path}: duplicate port name ${JSON.stringify(name)} with ${other}, ${use}`];
  });
}
