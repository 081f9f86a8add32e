import { objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { warnOfAddress } from "../validation/legacy-addresses.ts";
import type { Written } from "./warn-of-kinds.ts";

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
export function warnOfEndpoints(endpoints: KubeObject): readonly string[] {
  if (isOfController(endpoints, "endpoints.kubernetes.io/managed-by")) return [];
  return objectsAt(endpoints, "subsets").flatMap((subset, index) =>
    ["addresses", "notReadyAddresses"].flatMap((list) =>
      objectsAt(subset, list).flatMap((address, place) =>
        warnOfAddress(textAt(address, "ip") ?? "", `subsets[${index}].${list}[${place}].ip`),
      ),
    ),
  );
}

/** The same of EndpointSlices, and of new ones that list names. */
export function warnOfSlice(slice: KubeObject, { isNew }: Written): readonly string[] {
  if (isOfController(slice, "endpointslice.kubernetes.io/managed-by")) return [];
  return [
    ...(isNew && textAt(slice, "addressType") === "FQDN" ? ["spec.addressType: FQDN endpoints are deprecated"] : []),
    ...objectsAt(slice, "endpoints").flatMap((endpoint, index) =>
      textsAt(endpoint, "addresses").flatMap((address, place) =>
        warnOfAddress(address, `endpoints[${index}].addresses[${place}]`),
      ),
    ),
  ];
}

function isOfController(object: KubeObject, managerLabel: string): boolean {
  return controllers.includes(object.metadata.labels?.[managerLabel] ?? "");
}
