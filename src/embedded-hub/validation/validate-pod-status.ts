import { isIPv6 } from "node:net";
import type { JsonObject } from "../../core/json.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { checkQualifiedName, checkSubdomain } from "../../core/formats/kube-names.ts";
import { duplicate, forbidden, indexPath, internalError, invalid } from "../schema/field-error.ts";
import { firstPlaces } from "../schema/first-places.ts";
import type { FieldError } from "../schema/schema.ts";
import { hold, immutable, largestInt32 } from "./checks.ts";
import { checkAddress, eachOf } from "./checks-network.ts";
import { isAddress, plainAddress } from "./legacy-addresses.ts";

const statusLists = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const;

/** What is wrong with a new status of a Pod. Source: Kubernetes, pkg/apis/core/validation ValidatePodStatusUpdate. */
export function validatePodStatus(pod: KubeObject, old: KubeObject): FieldError[] {
  const nominated = textAt(pod, "status", "nominatedNodeName") ?? "";
  const isRenominated = nominated !== "" && nominated !== (textAt(old, "status", "nominatedNodeName") ?? "");
  return [
    ...eachOf(objectsAt(pod, "status", "conditions"), "status.conditions", validatePodCondition),
    ...(textAt(pod, "spec", "nodeName") === textAt(old, "spec", "nodeName")
      ? []
      : [forbidden("status.nodeName", "may not be changed directly")]),
    ...(isRenominated ? hold(checkSubdomain, nominated, "status.nominatedNodeName") : []),
    ...validateGeneration(objectAt(pod, "status") ?? {}, "status"),
    ...immutable(textAt(pod, "status", "qosClass") ?? "", textAt(old, "status", "qosClass") ?? "", "status.qosClass"),
    ...statusLists.flatMap((list) => validateTransitions(pod, old, list)),
    ...validateClaimStatuses(pod),
    ...validateHostOf(pod),
    ...validateAddresses(pod, old, "hostIPs"),
    ...validateAddresses(pod, old, "podIPs"),
    ...statusLists.flatMap((list) => validateUsers(pod, list)),
  ];
}

function validatePodCondition(condition: JsonObject, path: string): FieldError[] {
  const type = textAt(condition, "type") ?? "";
  const isKnown = ["PodScheduled", "Ready", "Initialized"].includes(type);
  return [...validateGeneration(condition, path), ...(isKnown ? [] : hold(checkQualifiedName, type, `${path}.Type`))];
}

function validateGeneration(holder: JsonObject, path: string): FieldError[] {
  const generation = numberAt(holder, "observedGeneration") ?? 0;
  return generation < 0 ? [invalid(`${path}.observedGeneration`, generation, "must be a non-negative integer")] : [];
}

/** A container that ended stays so unless the Pod starts it again; one for debugging is never started again. */
function validateTransitions(pod: KubeObject, old: KubeObject, list: (typeof statusLists)[number]): FieldError[] {
  const restartPolicy = list === "ephemeralContainerStatuses" ? "Never" : textAt(old, "spec", "restartPolicy");
  if (restartPolicy === "Always") return [];
  const sidecars = new Set(
    objectsAt(old, "spec", "initContainers").flatMap(({ name, restartPolicy: own }) =>
      own === "Always" ? [name] : [],
    ),
  );
  // The first of a name counts.
  const byName = new Map(
    objectsAt(pod, "status", list)
      .toReversed()
      .map((status) => [textAt(status, "name"), status]),
  );
  return objectsAt(old, "status", list).flatMap((status, index) => {
    const ended = objectAt(status, "state", "terminated");
    if (ended === undefined || (restartPolicy === "OnFailure" && numberAt(ended, "exitCode") !== 0)) return [];
    if (list === "initContainerStatuses" && sidecars.has(status["name"])) return [];
    const now = byName.get(textAt(status, "name"));
    if (now === undefined || objectAt(now, "state", "terminated") !== undefined) return [];
    const field = `${indexPath(`status.${list}`, index)}.state`;
    return [forbidden(field, "may not be transitioned to non-terminated state")];
  });
}

function validateClaimStatuses(pod: KubeObject): FieldError[] {
  const claims = new Set(objectsAt(pod, "spec", "resourceClaims").map((claim) => textAt(claim, "name")));
  const statuses = objectsAt(pod, "status", "resourceClaimStatuses");
  const places = firstPlaces(statuses.map((status) => textAt(status, "name") ?? ""));
  return eachOf(statuses, "status.resourceClaimStatuses", (status, path, index) => {
    const name = textAt(status, "name") ?? "";
    const claimName = textAt(status, "resourceClaimName");
    return [
      ...(claims.has(name)
        ? []
        : [invalid(`${path}.name`, name, "must match the name of an entry in `spec.resourceClaims`")]),
      ...(places.get(name) === index ? [] : [duplicate(`${path}.name`, name)]),
      ...(claimName === undefined ? [] : hold(checkSubdomain, claimName, `${path}.name`)),
    ];
  });
}

function validateHostOf(pod: KubeObject): FieldError[] {
  const [first] = addressesOf(pod, "hostIPs");
  if (first === undefined || first === (textAt(pod, "status", "hostIP") ?? "")) return [];
  return [invalid("status.hostIPs[0].ip", first, "must be equal to `hostIP`")];
}

/** At most one of each family. What cannot be read may stay where it was. */
function validateAddresses(pod: KubeObject, old: KubeObject, list: "hostIPs" | "podIPs"): FieldError[] {
  const path = `status.${list}`;
  const addresses = addressesOf(pod, list);
  const known = new Set(addressesOf(old, list));
  const errors = addresses.flatMap((address, index) =>
    known.has(address) ? [] : hold(checkAddress, address, indexPath(path, index)),
  );
  if (addresses.length < 2) return errors;
  const unreadable = addresses.findIndex((address) => !isAddress(address));
  if (unreadable >= 0) {
    const fault = `failed to check for dual stack with error:invalid IP[${unreadable}]: ${addresses[unreadable]}`;
    errors.push(internalError(path, fault));
  }
  const families = new Set(addresses.map((address) => isIPv6(plainAddress(address))));
  if (unreadable >= 0 || families.size < 2 || addresses.length > 2) {
    const shown = addresses.map((IP) => ({ IP }));
    errors.push(invalid(path, shown, "may specify no more than one IP for each IP family"));
  }
  return errors;
}

function addressesOf(pod: KubeObject, list: "hostIPs" | "podIPs"): readonly string[] {
  return objectsAt(pod, "status", list).map((one) => textAt(one, "ip") ?? "");
}

/** Of Linux, which a Pod without an operating system is for. */
function validateUsers(pod: KubeObject, list: string): FieldError[] {
  const system = textAt(pod, "spec", "os", "name") ?? "linux";
  return eachOf(objectsAt(pod, "status", list), `status.${list}`, (status, at) => {
    const user = objectAt(status, "user", "linux");
    if (user === undefined) return [];
    const path = `${at}.user.linux`;
    if (system === "windows") return [forbidden(path, "cannot be set for a windows pod")];
    if (system !== "linux") return [];
    const { supplementalGroups } = user;
    const groups: readonly unknown[] = Array.isArray(supplementalGroups) ? supplementalGroups : [];
    return [
      ...["uid", "gid"].flatMap((name) => validateId(user[name], `${path}.${name}`)),
      ...groups.flatMap((id, index) => validateId(id, indexPath(`${path}.supplementalGroups`, index))),
    ];
  });
}

function validateId(id: unknown, path: string): FieldError[] {
  if ((typeof id !== "number" && typeof id !== "bigint") || (id >= 0 && id <= largestInt32)) return [];
  return [invalid(path, id, `must be between 0 and ${largestInt32}, inclusive`)];
}
