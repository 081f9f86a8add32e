import { isIPv6 } from "node:net";
import type { JsonObject } from "../../core/json.ts";
import { isJsonEqual } from "../../core/json.ts";
import { numberAt, objectsAt, textAt, textMapAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { checkLabelValue, checkQualifiedName } from "../../core/formats/kube-names.ts";
import { forbidden, indexPath, invalid, invalidStruct, notSupported, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { hold } from "./checks.ts";
import { checkCidr } from "./checks-network.ts";
import { validateQuantity } from "./validate-quota.ts";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** What is wrong with a Node or with its change. Source: Kubernetes, ValidateNode and ValidateNodeUpdate. */
export function validateNode(
  node: KubeObject,
  old: KubeObject | undefined,
  context: { readonly subresource?: string } = {},
): FieldError[] {
  const networks = textsAt(node, "spec", "podCIDRs");
  const oldNetworks = textsAt(old, "spec", "podCIDRs");
  const oldProvider = textAt(old, "spec", "providerID") ?? "";
  const onceOnly = (name: string): string => `node updates may not change ${name} except from "" to valid`;
  return [
    ...validateNodeTaints(node),
    ...(context.subresource === "status" ? [] : validateSwap(numberAt(node, "status", "nodeInfo", "swap", "capacity"))),
    ...["capacity", "allocatable"].flatMap((list) =>
      Object.entries(textMapAt(node, "status", list)).flatMap(([name, text]) =>
        validateQuantity(name, text, `status.${list}.${name}`),
      ),
    ),
    ...networks.flatMap((network, index) => hold(checkCidr, network, indexPath("spec.podCIDRs", index))),
    ...unreadableNetworks(networks),
    ...(hasOneOfEachFamily(networks)
      ? []
      : [invalid("spec.podCIDRs", [...networks], "may specify no more than one CIDR for each IP family")]),
    ...(oldNetworks.length === 0 || isJsonEqual([...networks], [...oldNetworks])
      ? []
      : [forbidden("spec.podCIDRs", onceOnly("podCIDR"))]),
    ...(oldProvider === "" || textAt(node, "spec", "providerID") === oldProvider
      ? []
      : [forbidden("spec.providerID", onceOnly("providerID"))]),
  ];
}

/** Under the name that kube-apiserver gives the field. */
function validateSwap(capacity: number | undefined): FieldError[] {
  if (capacity === undefined || capacity > 0) return [];
  return [invalid("metadata.nodeSwapStatus.capacity", capacity, "must be greater than zero")];
}

/** A Node with both forms of its networks: the field of one network wins over the list. */
export function withNodeNetworks(node: KubeObject): KubeObject {
  const first = textAt(node, "spec", "podCIDR") ?? "";
  const networks = textsAt(node, "spec", "podCIDRs");
  const [own = ""] = networks;
  if (first === own) return node;
  const spec = node["spec"] as JsonObject;
  return first === ""
    ? { ...node, spec: { ...spec, podCIDR: own } }
    : { ...node, spec: { ...spec, podCIDRs: [first] } };
}

/** Of several networks kube-apiserver names the first one that it cannot read once more. */
function unreadableNetworks(networks: readonly string[]): FieldError[] {
  const index = networks.findIndex((network) => checkCidr(network).length > 0);
  if (index < 0 || networks.length < 2) return [];
  const fault = `invalid CIDR[${index}]: <nil> (invalid CIDR address: ${networks[index] ?? ""})`;
  const text = `Internal error: invalid PodCIDRs. failed to check with dual stack with error:${fault}`;
  return [{ field: "spec.podCIDRs", reason: "InternalError", message: text }];
}

function hasOneOfEachFamily(networks: readonly string[]): boolean {
  if (networks.length < 2) return true;
  const isOfIpv6 = networks.map((network) => isIPv6(network.split("/")[0] ?? ""));
  const isReadable = networks.every((network) => checkCidr(network).length === 0);
  return isReadable && networks.length === 2 && isOfIpv6[0] !== isOfIpv6[1];
}

/** kube-apiserver names their path so. */
function validateNodeTaints(node: KubeObject): FieldError[] {
  const seen = new Set<string>();
  return objectsAt(node, "spec", "taints").flatMap((taint, index) => {
    const path = indexPath("metadata.taints", index);
    const [key = "", value = "", effect = ""] = ["key", "value", "effect"].map((field) => textAt(taint, field));
    const valueFaults = checkLabelValue(value);
    const pair = JSON.stringify([key, effect]);
    const isTaken = seen.has(pair);
    seen.add(pair);
    return [
      ...hold(checkQualifiedName, key, `${path}.key`),
      ...(valueFaults.length === 0 ? [] : [invalid(`${path}.value`, value, valueFaults.join(";"))]),
      ...(effect === ""
        ? [required(`${path}.effect`)]
        : effects.includes(effect)
          ? []
          : [notSupported(`${path}.effect`, effect, effects)]),
      ...(isTaken ? [duplicateTaint(path, taint)] : []),
    ];
  });
}

/** kube-apiserver prints the whole taint. */
function duplicateTaint(path: string, taint: JsonObject): FieldError {
  const { key: Key = "", value: Value = "", effect: Effect = "", timeAdded: TimeAdded = null } = taint;
  const { message } = invalidStruct(
    path,
    { Key, Value, Effect, TimeAdded },
    "taints must be unique by key and effect pair",
  );
  return { field: path, reason: "FieldValueDuplicate", message: message.replace("Invalid", "Duplicate") };
}
