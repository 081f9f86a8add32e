import type { JsonObject } from "../../core/json.ts";
import { objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import type { UserInfo } from "../auth/auth.ts";
import type { ResourceHooks } from "../operations/resource-definition.ts";
import { validateCertificateRequest, verifyCertificateRequest } from "../validation/validate-certificate-request.ts";

/** A request does not change: its subresources decide on it and answer it. Source: Kubernetes, registry/certificates. */
export const certificateRequestHooks: ResourceHooks = {
  nameRule: "path-segment",
  keptFields: {
    "": [["spec"], ["status"]],
    approval: [["spec"], ["status", "certificate"]],
    status: [["spec"], ["status", "conditions"]],
  },
  selectableFields: { "spec.signerName": (request) => textAt(request, "spec", "signerName") ?? "" },
  prepareForCreate: (request, { user }) => ({ ...request, spec: withRequester(objectAt(request, "spec") ?? {}, user) }),
  prepareForUpdate: (request, old, { subresource, now }) => {
    const spec = objectAt(old, "spec") ?? {};
    const status = objectAt(request, "status") ?? {};
    const oldStatus = objectAt(old, "status") ?? {};
    switch (subresource) {
      case "approval": {
        const { conditions: _, ...rest } = oldStatus;
        return { ...request, spec, status: { ...withConditions(status, oldStatus, now), ...rest } };
      }
      case "status":
        return {
          ...request,
          spec,
          status: { ...status, ...withConditions(withOldDecisions(status, oldStatus), oldStatus, now) },
        };
      default:
        return { ...request, spec };
    }
  },
  verify: verifyCertificateRequest,
  validate: validateCertificateRequest,
};

function withRequester(asked: JsonObject, { username, uid = "", groups, extra = {} }: UserInfo): JsonObject {
  const { username: _name, uid: _uid, groups: _groups, extra: _extra, ...spec } = asked;
  const entries = Object.entries(extra);
  return {
    ...spec,
    ...(username === "" ? {} : { username }),
    ...(uid === "" ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(entries.length === 0 ? {} : { extra: Object.fromEntries(entries.map(([key, texts]) => [key, [...texts]])) }),
  };
}

/** A status with the old conditions Approved and Denied, where it has as many of them. */
function withOldDecisions(status: JsonObject, oldStatus: JsonObject): JsonObject {
  let conditions = objectsAt(status, "conditions");
  for (const type of ["Approved", "Denied"]) {
    const old = objectsAt(oldStatus, "conditions").filter((condition) => condition["type"] === type);
    if (conditions.filter((condition) => condition["type"] === type).length !== old.length) continue;
    const kept = old.values();
    conditions = conditions.map((one) => (one["type"] === type ? (kept.next().value ?? one) : one));
  }
  return { ...status, conditions };
}

/** The conditions alone, with the times that they lack. */
function withConditions(status: JsonObject, oldStatus: JsonObject, now: string): JsonObject {
  const conditions = objectsAt(status, "conditions");
  if (conditions.length === 0) return {};
  const key = (condition: JsonObject): string => JSON.stringify([condition["type"] ?? "", condition["status"] ?? ""]);
  const changedAt = new Map<string, string>();
  for (const condition of objectsAt(oldStatus, "conditions")) {
    const time = textAt(condition, "lastTransitionTime");
    if (time !== undefined && !changedAt.has(key(condition))) changedAt.set(key(condition), time);
  }
  const timed = conditions.map((condition) => ({
    ...condition,
    lastUpdateTime: textAt(condition, "lastUpdateTime") ?? now,
    lastTransitionTime: textAt(condition, "lastTransitionTime") ?? changedAt.get(key(condition)) ?? now,
  }));
  return { conditions: timed };
}
