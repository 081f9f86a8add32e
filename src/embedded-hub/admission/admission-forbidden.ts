import type { KubeStatus } from "../../model/kubernetes.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import type { AdmissionRequest } from "../operations/admission.ts";

type Causes = NonNullable<NonNullable<KubeStatus["details"]>["causes"]>;

/**
 * The 403 of an admission plugin. An object without a name yet is called by its generateName.
 * Source: k8s.io/apiserver, admission/errors.go.
 */
export function admissionForbidden(
  request: Pick<AdmissionRequest, "definition" | "name" | "object">,
  message: string,
  causes: Causes = [],
): ApiFailure {
  const { group, plural } = request.definition;
  const { name = "", generateName = "" } = request.object?.metadata ?? {};
  const shown = [request.name, name, generateName].find((one) => one !== "") ?? "Unknown";
  const resource = group === "" ? plural : `${plural}.${group}`;
  return new ApiFailure(403, "Forbidden", `${resource} ${JSON.stringify(shown)} is forbidden: ${message}`, {
    details: {
      name: shown,
      ...(group === "" ? {} : { group }),
      kind: plural,
      ...(causes.length === 0 ? {} : { causes }),
    },
  });
}
