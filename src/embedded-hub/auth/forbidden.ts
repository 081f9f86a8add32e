import { ApiFailure } from "../failures/api-failure.ts";
import type { RequestAttributes } from "./auth.ts";
import { quoteText } from "../../core/formats/go-text.ts";

/**
 * The 403 of kube-apiserver for a request that nothing allows. `reason` is the authorizer's, often empty.
 * Source: k8s.io/apiserver, endpoints/handlers/responsewriters; clients and people search for this text.
 */
export function requestForbidden(attributes: RequestAttributes, reason: string): ApiFailure {
  return refusal(attributes, reason, { "x-content-type-options": "nosniff" });
}

/** The same from a handler, which refuses what an update creates: kube-apiserver sends it without the header. */
export function creationForbidden(attributes: RequestAttributes, reason: string): ApiFailure {
  return refusal(attributes, reason, {});
}

function refusal(attributes: RequestAttributes, reason: string, headers: Readonly<Record<string, string>>): ApiFailure {
  const text = textOf(attributes).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const message = reason === "" ? text : `${text}: ${reason}`;
  if (attributes.kind === "path")
    return new ApiFailure(403, "Forbidden", `forbidden: ${message}`, { details: {}, headers });
  const { group, resource, name = "" } = attributes;
  const qualified = group === "" ? resource : `${resource}.${group}`;
  // Unlike other failures, this one is also about requests that name no object.
  const subject = name === "" ? qualified : `${qualified} ${quoteText(name)}`;
  return new ApiFailure(
    403,
    "Forbidden",
    qualified === "" ? `forbidden: ${message}` : `${subject} is forbidden: ${message}`,
    {
      details: { ...(name === "" ? {} : { name }), ...(group === "" ? {} : { group }), kind: resource },
      headers,
    },
  );
}

function textOf(attributes: RequestAttributes): string {
  const user = quoteText(attributes.user.username);
  if (attributes.kind === "path") return `User ${user} cannot ${attributes.verb} path ${quoteText(attributes.path)}`;
  const { verb, group, resource, subresource = "", namespace = "" } = attributes;
  const combined = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${quoteText(namespace)}`;
  return `User ${user} cannot ${verb} resource ${quoteText(combined)} in API group ${quoteText(group)} ${where}`;
}
