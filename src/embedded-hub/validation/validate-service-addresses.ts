import { appendAll } from "../../core/append-all.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { objectAt, textAt, textsAt } from "../../core/read-json.ts";
import { duplicate, indexPath, invalid, notSupported, required } from "../schema/field-error.ts";
import { firstPlaces } from "../schema/first-places.ts";
import type { FieldError } from "../schema/schema.ts";
import { hold } from "./checks.ts";
import { checkAddress } from "./checks-network.ts";
import { isOfIpv6 } from "./legacy-addresses.ts";

const families = ["IPv4", "IPv6"];
const familyPolicies = ["PreferDualStack", "RequireDualStack", "SingleStack"];

/**
 * What is wrong with the addresses of a Service and their families, in a hub that has addresses of IPv4 only. Source:
 * Kubernetes, registry/core/service initIPFamilyFields, which has three rounds: later ones read what earlier ones checked.
 */
export function validateServiceAddresses(spec: JsonObject, oldSpec: JsonObject | undefined): FieldError[] {
  if (textAt(spec, "type") === "ExternalName") return [];
  const errors = validateForms(spec, textsAt(oldSpec, "clusterIPs"));
  if (errors.length > 0) return errors;
  const ofPolicy = validatePolicy(spec, oldSpec);
  if (ofPolicy.length > 0) return ofPolicy;
  // A Service without addresses and Pods may name both families.
  return isFree(spec) ? [] : validateServed(spec, policyOf(spec, oldSpec));
}

/** True for a headless Service that selects no Pods. */
export function isFree(spec: JsonObject): boolean {
  return textAt(spec, "clusterIP") === "None" && Object.keys(objectAt(spec, "selector") ?? {}).length === 0;
}

/** The policy that a Service gets which names none. */
export function policyOf(spec: JsonObject, oldSpec: JsonObject | undefined): string {
  const given = textAt(spec, "ipFamilyPolicy") ?? textAt(oldSpec, "ipFamilyPolicy");
  return given ?? (isFree(spec) ? "RequireDualStack" : "SingleStack");
}

function validateForms(spec: JsonObject, oldAddresses: readonly string[]): FieldError[] {
  const addresses = textsAt(spec, "clusterIPs");
  const shown: Json = [...addresses];
  const errors = [...validateBothForms(spec, addresses), ...validateFamilyNames(spec)];
  let isAnyWrong = false;
  for (const [index, one] of addresses.entries()) {
    if (one === "None" && index === 0) {
      if (addresses.length === 1) continue;
      errors.push(invalid("spec.clusterIPs", shown, "'None' must be the first and only value"));
      isAnyWrong = true;
    } else if (!oldAddresses.includes(one)) {
      const faults = hold(checkAddress, one, indexPath("spec.clusterIPs", index));
      appendAll(errors, faults);
      isAnyWrong ||= faults.length > 0;
    }
  }
  if (addresses.length > 2) errors.push(invalid("spec.clusterIPs", shown, "may only hold up to 2 values"));
  return isAnyWrong ? errors : [...errors, ...validateFamilyOfEach(spec, addresses)];
}

function validateBothForms(spec: JsonObject, addresses: readonly string[]): FieldError[] {
  const address = textAt(spec, "clusterIP") ?? "";
  if (address === "") {
    const text = "must be empty when `clusterIP` is not specified";
    return addresses.length === 0 ? [] : [invalid("spec.clusterIPs", [...addresses], text)];
  }
  if (addresses.length === 0) return [required("spec.clusterIPs")];
  return addresses[0] === address
    ? []
    : [invalid("spec.clusterIPs", [...addresses], "first value must match `clusterIP`")];
}

function validateFamilyNames(spec: JsonObject): FieldError[] {
  const asked = textsAt(spec, "ipFamilies");
  const places = firstPlaces(asked);
  const errors = asked.flatMap((family, index) => {
    const path = indexPath("spec.ipFamilies", index);
    return [
      ...(families.includes(family) ? [] : [notSupported(path, family, families)]),
      ...(places.get(family) === index ? [] : [duplicate(path, family)]),
    ];
  });
  const policy = textAt(spec, "ipFamilyPolicy");
  if (policy === undefined || familyPolicies.includes(policy)) return errors;
  return [...errors, notSupported("spec.ipFamilyPolicy", policy, familyPolicies)];
}

function validateFamilyOfEach(spec: JsonObject, addresses: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  const ofIpv6 = addresses.filter(isOfIpv6).length;
  if (addresses.length > 1 && (ofIpv6 === 0 || ofIpv6 === addresses.length)) {
    const text = "may specify no more than one IP for each IP family";
    errors.push(invalid("spec.clusterIPs", [...addresses], text));
  }
  if (addresses[0] === "None") return errors;
  const asked = textsAt(spec, "ipFamilies");
  for (const [index, one] of addresses.entries()) {
    const family = asked[index] ?? "";
    if (!families.includes(family) || isOfIpv6(one) === (family === "IPv6")) continue;
    const text = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    errors.push(invalid(indexPath("spec.clusterIPs", index), one, text));
  }
  return errors;
}

/** A policy that fits neither the addresses nor the families. */
function validatePolicy(spec: JsonObject, oldSpec: JsonObject | undefined): FieldError[] {
  const policy = policyOf(spec, oldSpec);
  const addresses = textsAt(spec, "clusterIPs");
  const asked = textsAt(spec, "ipFamilies");
  const errors: FieldError[] = [];
  const refuse = (text: string) => errors.push(invalid("spec.ipFamilyPolicy", policy, text));
  if (policy === "SingleStack") {
    const text = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
    if (addresses.length === 2) refuse(`${text} cluster IPs are specified`);
    if (asked.length === 2) refuse(`${text} IP families are specified`);
  } else if (asked.length > 0 && asked.length < textsAt(oldSpec, "ipFamilies").length) {
    refuse("must be 'SingleStack' to release the secondary IP family");
  }
  for (const [index, one] of addresses.entries()) {
    if (one === "None") break;
    if (index < asked.length || !isOfIpv6(one)) continue;
    errors.push(invalid(indexPath("spec.clusterIPs", index), [...addresses], "IPv6 is not configured on this cluster"));
  }
  return errors;
}

function validateServed(spec: JsonObject, policy: string): FieldError[] {
  const text = "this cluster is not configured for dual-stack services";
  return [
    ...(policy === "RequireDualStack" ? [invalid("spec.ipFamilyPolicy", policy, text)] : []),
    ...textsAt(spec, "ipFamilies").flatMap((family, index) =>
      family === "IPv6" ? [invalid(indexPath("spec.ipFamilies", index), family, "not configured on this cluster")] : [],
    ),
  ];
}
