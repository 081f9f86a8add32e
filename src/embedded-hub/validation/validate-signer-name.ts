import { checkLabel, checkSubdomain } from "../../core/formats/kube-names.ts";
import { invalid, required, tooLong } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";

const longestDomain = 253;
const longestName = 253 + 1 + 253 + 1 + 63;

/** What is wrong with the name of a signer, `example.org/signer`. Source: Kubernetes, pkg/apis/core/validation/names.go. */
export function validateSignerName(name: string, field: string): FieldError[] {
  if (name === "") return [required(field)];
  const [domain = "", path, ...more] = name.split("/");
  if (path === undefined || more.length > 0) {
    const text = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalid(field, name, text)];
  }
  const domainLabels = domain.split(".");
  return [
    ...(domain.length > longestDomain ? [tooLong(field, longestDomain)] : []),
    ...firstFaults(domainLabels, checkLabel).map((text) => invalid(field, domain, text)),
    ...(domainLabels.length < 2
      ? [invalid(field, domain, "should be a domain with at least two segments separated by dots")]
      : []),
    ...firstFaults(path.split("."), checkSubdomain).map((text) => invalid(field, path, text)),
    ...(name.length > longestName ? [tooLong(field, longestName)] : []),
  ];
}

/** Those of the first label that has some. */
function firstFaults(labels: readonly string[], check: (label: string) => readonly string[]): readonly string[] {
  for (const label of labels) {
    const faults = check(label).map((text) => `validating label ${JSON.stringify(label)}: ${text}`);
    if (faults.length > 0) return faults;
  }
  return [];
}
