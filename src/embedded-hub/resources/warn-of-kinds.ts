import { appendAll } from "../../core/append-all.ts";
import type { JsonObject } from "../../core/json.ts";
import { numberAt, objectAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ResourceHooks } from "../operations/resource-definition.ts";
import { indexPath } from "../schema/field-error.ts";
import { warnOfAddress, warnOfCidr } from "../validation/legacy-addresses.ts";

type Validate = NonNullable<ResourceHooks["validate"]>;

/** What a warning may depend on besides the object. */
export interface Written {
  readonly isNew: boolean;
  readonly subresource: string | undefined;
}

/** Warns of what a valid object may have and should not. */
export function withWarnings(
  validate: Validate,
  warn: (object: KubeObject, written: Written) => readonly string[],
): Validate {
  return (object, old, context) => {
    const errors = validate(object, old, context);
    const written = { isNew: old === undefined, subresource: context.subresource };
    if (errors.length === 0) appendAll(context.warnings, warn(object, written));
    return errors;
  };
}

/** Source: Kubernetes, registry/networking/networkpolicy. */
export function warnOfNetworkPolicy(policy: KubeObject): readonly string[] {
  const directions = [
    ["ingress", "from"],
    ["egress", "to"],
  ] as const;
  return directions.flatMap(([rules, peers]) =>
    objectsAt(policy, "spec", rules).flatMap((rule, index) =>
      objectsAt(rule, peers).flatMap((peer, place) =>
        warnOfBlock(objectAt(peer, "ipBlock"), `spec.${rules}[${index}].${peers}[${place}].ipBlock`),
      ),
    ),
  );
}

function warnOfBlock(block: JsonObject | undefined, path: string): readonly string[] {
  return [
    ...warnOfCidr(textAt(block, "cidr") ?? "", `${path}.cidr`),
    ...textsAt(block, "except").flatMap((cidr, index) => warnOfCidr(cidr, indexPath(`${path}.except`, index))),
  ];
}

const classAnnotation = "kubernetes.io/ingress.class";

/** Source: Kubernetes, registry/networking/ingress. */
export function warnOfIngress(ingress: KubeObject, { isNew, subresource }: Written): readonly string[] {
  if (subresource === "status") return warnOfBalancer(ingress);
  const isNamedTwice = textAt(ingress, "spec", "ingressClassName") !== undefined;
  if (!isNew || isNamedTwice || ingress.metadata.annotations?.[classAnnotation] === undefined) return [];
  return [`annotation ${JSON.stringify(classAnnotation)} is deprecated, please use 'spec.ingressClassName' instead`];
}

/** Addresses that a status of a Service or an Ingress reports. */
export function warnOfBalancer(object: KubeObject): readonly string[] {
  return objectsAt(object, "status", "loadBalancer", "ingress").flatMap((ingress, index) =>
    warnOfAddress(textAt(ingress, "ip") ?? "", indexPath("status.loadBalancer.ingress", index)),
  );
}

/** Source: Kubernetes, registry/core/node. */
export function warnOfNode(node: KubeObject, { subresource }: Written): readonly string[] {
  if (subresource !== undefined) return [];
  const hasOldName = (textAt(node, "spec", "externalID") ?? "") !== "";
  return [
    ...(hasOldName ? ["spec.externalID: this field is deprecated, and is unused by Kubernetes"] : []),
    ...textsAt(node, "spec", "podCIDRs").flatMap((cidr, index) => warnOfCidr(cidr, indexPath("spec.podCIDRs", index))),
  ];
}

/** A pair of a certificate and a key: only whether there is any. Source: Kubernetes, registry/core/secret. */
export function warnOfSecret(secret: KubeObject): readonly string[] {
  if (textAt(secret, "type") !== "kubernetes.io/tls") return [];
  const missing = [
    ["tls.crt", "certificate"],
    ["tls.key", "key"],
  ].find(([key = ""]) => {
    const text = Buffer.from(textAt(secret, "data", key) ?? "", "base64").toString("latin1");
    return !text.includes("-----BEGIN ");
  });
  return missing === undefined ? [] : [`tls: failed to find any PEM data in ${missing[1] ?? ""} input`];
}

const many = { completions: 100_000, parallelism: 10_000 };

/** Source: Kubernetes, pkg/api/job. `path` is that of the spec of a Job. */
export function warnOfManyIndexes(spec: JsonObject | undefined, path: string): readonly string[] {
  const isMany =
    textAt(spec, "completionMode") === "Indexed" &&
    (numberAt(spec, "completions") ?? 0) > many.completions &&
    (numberAt(spec, "parallelism") ?? 0) > many.parallelism;
  if (!isMany) return [];
  return [
    `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, ` +
      "Kubernetes might not be able to track completedIndexes when a big number of indexes fail",
  ];
}
