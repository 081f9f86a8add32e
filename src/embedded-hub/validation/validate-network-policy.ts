import type { JsonObject } from "../../core/json.ts";
import { numberAt, objectAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { forbidden, invalid, notSupported, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { validateLabelSelector, validateSelectorAt } from "../selectors/validate-label-selector.ts";
import { checkPortNumber, hold, validatePort } from "./checks.ts";
import { checkCidr, eachOf, isStrictSubset, protocols, validateProtocol } from "./checks-network.ts";

const policyTypes = ["Ingress", "Egress"];

/** What is wrong with a NetworkPolicy. Source: Kubernetes, pkg/apis/networking/validation. */
export function validateNetworkPolicy(policy: KubeObject, old: KubeObject | undefined): FieldError[] {
  const spec = objectAt(policy, "spec") ?? {};
  const known = new Set(old === undefined ? [] : networksOf(objectAt(old, "spec") ?? {}));
  const types = textsAt(spec, "policyTypes");
  const rules = (name: string, peers: string): FieldError[] =>
    eachOf(objectsAt(spec, name), `spec.${name}`, (rule, path) => [
      ...eachOf(objectsAt(rule, "ports"), `${path}.ports`, validatePolicyPort),
      ...eachOf(objectsAt(rule, peers), `${path}.${peers}`, (peer, place) => validatePeer(peer, place, known)),
    ]);
  return [
    ...validateLabelSelector(objectAt(spec, "podSelector") ?? {}, "spec.podSelector"),
    ...rules("ingress", "from"),
    ...rules("egress", "to"),
    ...(types.length > policyTypes.length
      ? [invalid("spec.policyTypes", [...types], "may not specify more than two policyTypes")]
      : eachOf(types, "spec.policyTypes", (type, path) =>
          policyTypes.includes(type) ? [] : [notSupported(path, type, policyTypes)],
        )),
  ];
}

function validatePolicyPort(port: JsonObject, path: string): FieldError[] {
  const protocol = textAt(port, "protocol");
  const endPort = numberAt(port, "endPort");
  const { port: value } = port;
  const endPath = `${path}.endPort`;
  const ofEnd = (): FieldError[] => {
    if (endPort === undefined) return [];
    if (value === undefined) return [invalid(endPath, endPort, "may not be specified when `port` is not specified")];
    if (typeof value === "string")
      return [invalid(endPath, endPort, "may not be specified when `port` is non-numeric")];
    const isBelow = typeof value === "number" && endPort < value;
    return [
      ...(isBelow ? [invalid(endPath, value, "must be greater than or equal to `port`")] : []),
      ...checkPortNumber(endPort).map((text) => invalid(endPath, endPort, text)),
    ];
  };
  const ofPort = value === undefined ? [] : validatePort(value, `${path}.port`);
  return [
    ...(protocol === undefined ? [] : validateProtocol(protocol, `${path}.protocol`, protocols)),
    ...(typeof value === "string" ? [...ofEnd(), ...ofPort] : [...ofPort, ...ofEnd()]),
  ];
}

function validatePeer(peer: JsonObject, path: string, known: ReadonlySet<string>): FieldError[] {
  const block = objectAt(peer, "ipBlock");
  const selectors = ["podSelector", "namespaceSelector"].filter((name) => objectAt(peer, name) !== undefined);
  return [
    ...selectors.flatMap((name) => validateSelectorAt(peer, name, path)),
    ...(block === undefined ? [] : validateBlock(block, `${path}.ipBlock`, known)),
    ...(block === undefined && selectors.length === 0 ? [required(path, "must specify a peer")] : []),
    ...(block !== undefined && selectors.length > 0
      ? [forbidden(path, "may not specify both ipBlock and another peer")]
      : []),
  ];
}

/** Networks that the old policy has are not checked again. */
function validateBlock(block: JsonObject, path: string, known: ReadonlySet<string>): FieldError[] {
  const cidr = textAt(block, "cidr") ?? "";
  if (cidr === "") return [required(`${path}.cidr`)];
  const check = (text: string, place: string): FieldError[] => (known.has(text) ? [] : hold(checkCidr, text, place));
  const errors = check(cidr, `${path}.cidr`);
  if (checkCidr(cidr).length > 0) return errors;
  const exceptions = eachOf(textsAt(block, "except"), `${path}.except`, (text, place) => {
    const own = check(text, place);
    if (checkCidr(text).length > 0 || isStrictSubset(cidr, text)) return own;
    return [...own, invalid(place, text, "must be a strict subset of `cidr`")];
  });
  return [...errors, ...exceptions];
}

function networksOf(spec: JsonObject): string[] {
  const peers = [
    ...objectsAt(spec, "ingress").flatMap((rule) => objectsAt(rule, "from")),
    ...objectsAt(spec, "egress").flatMap((rule) => objectsAt(rule, "to")),
  ];
  return peers.flatMap((peer) => [textAt(peer, "ipBlock", "cidr") ?? "", ...textsAt(peer, "ipBlock", "except")]);
}
