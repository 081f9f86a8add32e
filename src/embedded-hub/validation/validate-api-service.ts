import { checkLabel1035, checkPathSegment, checkSubdomain } from "../../core/formats/kube-names.ts";
import { quoteText } from "../../core/formats/go-text.ts";
import { isTrueAt, numberAt, objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { forbidden, indexPath, invalid, notSupported, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { hold } from "./checks.ts";

/** What is wrong with an APIService. Source: Kubernetes, kube-aggregator, pkg/apis/apiregistration/validation. */
export function validateApiService(service: KubeObject): FieldError[] {
  const spec = objectAt(service, "spec");
  const group = textAt(spec, "group") ?? "";
  const version = textAt(spec, "version") ?? "";
  return [
    ...validateNames(service, `${version}.${group}`),
    ...(group === "" && version !== "v1"
      ? [required("spec.group", "only v1 may have an empty group and it better be legacy kube")]
      : []),
    ...(group === "" ? [] : hold(checkSubdomain, group, "spec.group")),
    ...hold(checkLabel1035, version, "spec.version"),
    ...validatePriority(spec, "groupPriorityMinimum", 20_000),
    ...validatePriority(spec, "versionPriority", 1000),
    ...validateServer(spec),
  ];
}

/** Its name and the beginning of one that is to be completed: neither is valid unless it is what the spec requires. */
function validateNames({ metadata }: KubeObject, requiredName: string): FieldError[] {
  const text = `must be \`spec.version+"."+spec.group\`: ${quoteText(requiredName)}`;
  return (["generateName", "name"] as const).flatMap((field) => {
    const name = textAt(metadata, field) ?? "";
    if (name === "" || name === requiredName || checkPathSegment(name).length > 0) return [];
    return [invalid(`metadata.${field}`, name, text)];
  });
}

function validatePriority(spec: ReturnType<typeof objectAt>, name: string, most: number): FieldError[] {
  const value = numberAt(spec, name) ?? 0;
  if (value > 0 && value <= most) return [];
  return [invalid(`spec.${name}`, value, `must be positive and less than ${most}`)];
}

/** Who serves the version: this hub and no other server. */
function validateServer(spec: ReturnType<typeof objectAt>): FieldError[] {
  if (objectAt(spec, "service") !== undefined) {
    return [forbidden("spec.service", "this hub calls no other API servers: aggregation is not supported")];
  }
  const sizeBytes = Buffer.from(textAt(spec, "caBundle") ?? "", "base64").byteLength;
  return [
    ...(sizeBytes === 0
      ? []
      : [invalid("spec.caBundle", `${sizeBytes} bytes`, "local APIServices may not have a caBundle")]),
    ...(isTrueAt(spec, "insecureSkipTLSVerify")
      ? [invalid("spec.insecureSkipTLSVerify", true, "local APIServices may not have insecureSkipTLSVerify")]
      : []),
  ];
}

const conditionStatuses = ["True", "False", "Unknown"];

export function validateApiServiceStatus(service: KubeObject): FieldError[] {
  return objectsAt(service, "status", "conditions").flatMap((condition, index) => {
    const status = textAt(condition, "status") ?? "";
    if (conditionStatuses.includes(status)) return [];
    return [notSupported(`${indexPath("status.conditions", index)}.status`, status, conditionStatuses)];
  });
}
