import { assertNever } from "../../core/assert-never.ts";
import type { NameCheck } from "../../core/formats/kube-names.ts";
import { checkLabel, checkLabel1035, checkPathSegment, checkSubdomain } from "../../core/formats/kube-names.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";

/** The rule for names of a kind. */
export function nameCheckOf({ hooks }: ResourceDefinition): NameCheck {
  const rule = hooks.nameRule ?? "subdomain";
  switch (rule) {
    case "subdomain":
      return checkSubdomain;
    case "label":
      return checkLabel;
    case "service":
      return checkLabel1035;
    case "path-segment":
      return checkPathSegment;
    default:
      return assertNever(rule);
  }
}
