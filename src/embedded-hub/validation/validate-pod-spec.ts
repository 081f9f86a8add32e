import type { JsonObject } from "../../core/json.ts";
import { isTrueAt, numberAt, objectAt, objectsAt, textAt, textMapAt, textsAt } from "../../core/read-json.ts";
import type { NameCheck } from "../../core/formats/kube-names.ts";
import { checkLabel, checkQualifiedName, checkSubdomain } from "../../core/formats/kube-names.ts";
import { validateLabels } from "../metadata/validate-metadata.ts";
import { duplicate, forbidden, indexPath, invalid, notSupported, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { hold, largestInt32 } from "./checks.ts";
import { checkAddress } from "./checks-network.ts";
import { validateAffinity, validateSpread, validateTolerations } from "./validate-affinity.ts";
import { validateChoice, validateContainers, validateInitContainers } from "./validate-container.ts";
import { validateEphemeralContainers } from "./validate-ephemeral-containers.ts";
import { validatePodResources } from "./validate-pod-resources.ts";
import { claimNamesOf, validateResourceClaims } from "./validate-resource-claims.ts";
import { validateResources } from "./validate-resources.ts";
import { keepsHostUsers, validateHostUsers, validatePodSecurityContext } from "./validate-security-context.ts";
import { validateVolumes } from "./validate-volume.ts";
import { forbidOfOtherSystem, validateHostProcess } from "./validate-windows.ts";

const restartPolicies = ["Always", "OnFailure", "Never"];
const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const preemptionPolicies = ["PreemptLowerPriority", "Never"];

const longestSearchList = 2048;
const tooLongSearchList = `must not have more than ${longestSearchList} characters (including spaces) in the search list`;

const searchPattern = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*";
const searchRegExp = new RegExp(`^${searchPattern}$`, "u");

/** A subdomain whose parts may have underscores. */
const checkSearch: NameCheck = (name) => [
  ...(name.length > 253 ? ["must be no more than 253 characters"] : []),
  ...(searchRegExp.test(name)
    ? []
    : [
        `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${searchPattern}')`,
      ]),
];

/**
 * What is wrong with the spec of a Pod, or of a Pod to be made from a template (`isPod` false). Source: Kubernetes,
 * pkg/apis/core/validation ValidatePodSpec.
 */
export function validatePodSpec(spec: JsonObject, path: string, isPod: boolean): FieldError[] {
  const volumes = validateVolumes(spec, path);
  const graceSeconds = numberAt(spec, "terminationGracePeriodSeconds");
  const parts = {
    ...{ volumes: volumes.good, claimNames: claimNamesOf(spec), graceSeconds },
    restartPolicy: textAt(spec, "restartPolicy") ?? "",
    hasHostUsers: keepsHostUsers(spec),
  };
  return [
    ...(graceSeconds === undefined ? [required(`${path}.terminationGracePeriodSeconds`)] : []),
    ...volumes.errors,
    ...validateResourceClaims(spec, `${path}.resourceClaims`),
    ...validateContainers(spec, path, parts),
    ...validateInitContainers(spec, path, parts),
    ...validateEphemeralContainers(spec, path, parts),
    ...validatePodResources(spec, `${path}.resources`, parts.claimNames),
    ...validateHostNetwork(spec, path, isPod),
    ...validateChoice(spec, path, { name: "restartPolicy", choices: restartPolicies }),
    ...validateChoice(spec, path, { name: "dnsPolicy", choices: dnsPolicies }),
    ...validateLabels(textMapAt(spec, "nodeSelector"), `${path}.nodeSelector`),
    ...validatePodSecurityContext(spec, `${path}.securityContext`),
    ...validateAffinity(spec, `${path}.affinity`),
    ...validateDns(spec, `${path}.dnsConfig`),
    ...validateGates(spec, path),
    ...validateSpread(spec, `${path}.topologySpreadConstraints`),
    ...validateHostProcess(spec, path),
    ...validateHostUsers(spec, path),
    ...validateNames(spec, path),
    ...validateTolerations(spec, `${path}.tolerations`),
    ...validateAliases(spec, `${path}.hostAliases`),
    ...validatePriority(spec, path),
    ...validateResources({ limits: objectAt(spec, "overhead") ?? {} }, `${path}.overhead`),
    ...validateSystem(spec, path),
  ];
}

function validateHostNetwork(spec: JsonObject, path: string, isPod: boolean): FieldError[] {
  if (!isTrueAt(spec, "hostNetwork")) return [];
  return objectsAt(spec, "containers").flatMap((container, index) =>
    objectsAt(container, "ports").flatMap((port, portIndex) => {
      const hostPort = numberAt(port, "hostPort") ?? 0;
      const isWrong = (isPod || hostPort !== 0) && hostPort !== (numberAt(port, "containerPort") ?? 0);
      const item = indexPath(`${indexPath(`${path}.containers`, index)}.ports`, portIndex);
      const text = "must match `containerPort` when `hostNetwork` is true";
      return isWrong ? [invalid(`${item}.hostPort`, hostPort, text)] : [];
    }),
  );
}

function validateDns(spec: JsonObject, path: string): FieldError[] {
  const config = objectAt(spec, "dnsConfig");
  const servers = textsAt(config, "nameservers");
  if (textAt(spec, "dnsPolicy") === "None") {
    if (config === undefined) return [required(path, "must provide `dnsConfig` when `dnsPolicy` is None")];
    if (servers.length === 0) {
      const text = "must provide at least one DNS nameserver when `dnsPolicy` is None";
      return [required(`${path}.nameservers`, text)];
    }
  }
  if (config === undefined) return [];
  const searches = textsAt(config, "searches");
  return [
    ...(servers.length > 3
      ? [invalid(`${path}.nameservers`, [...servers], "must not have more than 3 nameservers")]
      : []),
    ...servers.flatMap((server, index) => validateAddress(server, indexPath(`${path}.nameservers`, index))),
    ...(searches.length > 32
      ? [invalid(`${path}.searches`, [...searches], "must not have more than 32 search paths")]
      : []),
    ...(searches.join(" ").length > longestSearchList
      ? [invalid(`${path}.searches`, [...searches], tooLongSearchList)]
      : []),
    ...searches.flatMap((search, index) =>
      search === "." ? [] : hold(checkSearch, search.replace(/\.$/u, ""), indexPath(`${path}.searches`, index)),
    ),
    ...objectsAt(config, "options").flatMap((option, index) =>
      (textAt(option, "name") ?? "") === "" ? [required(indexPath(`${path}.options`, index), "must not be empty")] : [],
    ),
  ];
}

function validateAddress(address: string, field: string): FieldError[] {
  return hold(checkAddress, address, field);
}

function validateGates(spec: JsonObject, path: string): FieldError[] {
  const seen = new Set<string>();
  return [
    ...objectsAt(spec, "readinessGates").flatMap((gate, index) =>
      hold(
        checkQualifiedName,
        textAt(gate, "conditionType") ?? "",
        `${indexPath(`${path}.readinessGates`, index)}.conditionType`,
      ),
    ),
    ...objectsAt(spec, "schedulingGates").flatMap((gate, index) => {
      const name = textAt(gate, "name") ?? "";
      const item = indexPath(`${path}.schedulingGates`, index);
      const isRepeated = seen.has(name);
      seen.add(name);
      return [...hold(checkQualifiedName, name, item), ...(isRepeated ? [duplicate(item, name)] : [])];
    }),
  ];
}

function validateNames(spec: JsonObject, path: string): FieldError[] {
  const deadline = numberAt(spec, "activeDeadlineSeconds");
  const unlessEmpty = (name: string, check: typeof checkLabel): FieldError[] => {
    const value = textAt(spec, name) ?? "";
    return value === "" ? [] : hold(check, value, `${path}.${name}`);
  };
  return [
    ...unlessEmpty("serviceAccountName", checkSubdomain),
    ...unlessEmpty("nodeName", checkSubdomain),
    ...(deadline === undefined || (deadline >= 1 && deadline <= largestInt32)
      ? []
      : [invalid(`${path}.activeDeadlineSeconds`, deadline, `must be between 1 and ${largestInt32}, inclusive`)]),
    ...unlessEmpty("hostname", checkLabel),
    ...unlessEmpty("subdomain", checkLabel),
  ];
}

function validateAliases(spec: JsonObject, path: string): FieldError[] {
  return objectsAt(spec, "hostAliases").flatMap((alias, index) => [
    ...validateAddress(textAt(alias, "ip") ?? "", `${indexPath(path, index)}.ip`),
    ...textsAt(alias, "hostnames").flatMap((name, nameIndex) =>
      hold(checkSubdomain, name, indexPath(`${indexPath(path, index)}.hostnames`, nameIndex)),
    ),
  ]);
}

function validatePriority(spec: JsonObject, path: string): FieldError[] {
  const className = textAt(spec, "priorityClassName") ?? "";
  const runtime = textAt(spec, "runtimeClassName");
  const preemption = textAt(spec, "preemptionPolicy");
  const field = `${path}.preemptionPolicy`;
  return [
    ...(className === "" ? [] : hold(checkSubdomain, className, `${path}.priorityClassName`)),
    ...(runtime === undefined ? [] : hold(checkSubdomain, runtime, `${path}.runtimeClassName`)),
    ...(preemption === undefined || preemptionPolicies.includes(preemption)
      ? []
      : [preemption === "" ? required(field) : notSupported(field, preemption, preemptionPolicies)]),
  ];
}

function validateSystem(spec: JsonObject, path: string): FieldError[] {
  const system = objectAt(spec, "os");
  const name = textAt(system, "name") ?? "";
  if (system === undefined) return [];
  if (["linux", "windows"].includes(name)) return forbidOfOtherSystem(spec, path);
  return [name === "" ? required(`${path}.os.name`) : notSupported(`${path}.os`, name, ["linux", "windows"])];
}

/** What templates of Pods may not have although Pods may. */
export function forbidInTemplate(spec: JsonObject, path: string, owner: string): FieldError[] {
  const restartPolicy = textAt(spec, "restartPolicy") ?? "";
  return [
    ...(restartPolicy === "Always" ? [] : [notSupported(`${path}.restartPolicy`, restartPolicy, ["Always"])]),
    ...(numberAt(spec, "activeDeadlineSeconds") === undefined
      ? []
      : [forbidden(`${path}.activeDeadlineSeconds`, `activeDeadlineSeconds in ${owner} is not Supported`)]),
  ];
}
