import { appendAll } from "../../core/append-all.ts";
import { objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ResourceHooks } from "../operations/resource-definition.ts";
import { warnOfAddress } from "../validation/legacy-addresses.ts";

type Validate = NonNullable<ResourceHooks["validate"]>;

/** Managers whose objects have canonical addresses. */
const controllers = [
  "endpoint-controller",
  "endpointslice-controller.k8s.io",
  "endpointslicemirroring-controller.k8s.io",
];

/**
 * Warns of addresses of Endpoints that a later Kubernetes refuses. Source: Kubernetes, registry/core/endpoint,
 * registry/discovery/endpointslice.
 */
export function withEndpointsWarnings(validate: Validate): Validate {
  return warning(validate, "endpoints.kubernetes.io/managed-by", (endpoints) =>
    objectsAt(endpoints, "subsets").flatMap((subset, index) =>
      ["addresses", "notReadyAddresses"].flatMap((list) =>
        objectsAt(subset, list).flatMap((address, place) =>
          warnOfAddress(textAt(address, "ip") ?? "", `subsets[${index}].${list}[${place}].ip`),
        ),
      ),
    ),
  );
}

/** The same of EndpointSlices, and of new ones that list names. */
export function withSliceWarnings(validate: Validate): Validate {
  return warning(validate, "endpointslice.kubernetes.io/managed-by", (slice, isNew) => [
    ...(isNew && textAt(slice, "addressType") === "FQDN" ? ["spec.addressType: FQDN endpoints are deprecated"] : []),
    ...objectsAt(slice, "endpoints").flatMap((endpoint, index) =>
      textsAt(endpoint, "addresses").flatMap((address, place) =>
        warnOfAddress(address, `endpoints[${index}].addresses[${place}]`),
      ),
    ),
  ]);
}

function warning(
  validate: Validate,
  managerLabel: string,
  warn: (object: KubeObject, isNew: boolean) => readonly string[],
): Validate {
  return (object, old, context) => {
    const errors = validate(object, old, context);
    const isOfController = controllers.includes(object.metadata.labels?.[managerLabel] ?? "");
    if (errors.length === 0 && !isOfController) appendAll(context.warnings, warn(object, old === undefined));
    return errors;
  };
}
