import type { JsonObject } from "../../core/json.ts";
import { objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { AdmissionRequest } from "../operations/admission.ts";
import { matchRequest } from "./policy-match.ts";
import type { MatchParts } from "./policy-match.ts";

/** The warning of each write of a configuration that has webhooks. */
export function warnOfStoredWebhooks({ kind, metadata: { name }, ...rest }: KubeObject): string[] {
  if (objectsAt(rest, "webhooks").length === 0) return [];
  return [
    `${kind} "${name}" is stored but not in force: this hub calls no admission webhooks; ` +
      "use a ValidatingAdmissionPolicy to refuse requests",
  ];
}

/**
 * The warning of a write that an admission webhook with the failure policy Fail selects: a server that calls webhooks
 * lets it decide. `configurations` are the objects of both kinds. Match conditions are not evaluated.
 */
export function warnOfWebhooksNotCalled(
  configurations: readonly KubeObject[],
  request: AdmissionRequest,
  parts: MatchParts,
): string[] {
  const selecting = configurations.flatMap((configuration) =>
    objectsAt(configuration, "webhooks")
      .filter((webhook) => selects(webhook, request, parts))
      .map((webhook) => `"${textAt(webhook, "name") ?? ""}" of ${configuration.kind} "${configuration.metadata.name}"`),
  );
  const [first] = selecting;
  if (first === undefined) return [];
  const others = selecting.length === 1 ? "" : ` and ${selecting.length - 1} more`;
  return [`admission webhook ${first}${others} did not see this request: this hub calls no admission webhooks`];
}

function selects(webhook: JsonObject, request: AdmissionRequest, parts: MatchParts): boolean {
  const resourceRules = objectsAt(webhook, "rules");
  if (resourceRules.length === 0 || textAt(webhook, "failurePolicy") === "Ignore") return false;
  return matchRequest({ ...webhook, resourceRules: [...resourceRules] }, request, parts) !== undefined;
}
