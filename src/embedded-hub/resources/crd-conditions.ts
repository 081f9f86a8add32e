import type { JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import { objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";

export interface CrdCondition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

export function conditionOf(crd: KubeObject, type: string): CrdCondition | undefined {
  const found = objectsAt(crd, "status", "conditions").find((condition) => textAt(condition, "type") === type);
  if (found === undefined) return undefined;
  return {
    type,
    status: textAt(found, "status") === "True" ? "True" : "False",
    reason: textAt(found, "reason") ?? "",
    message: textAt(found, "message") ?? "",
  };
}

/** The CRD with a condition set; its time changes only with its status. */
export function withCondition(crd: KubeObject, condition: CrdCondition, now: string): KubeObject {
  const status = isJsonObject(crd["status"]) ? crd["status"] : {};
  const conditions = objectsAt(status, "conditions");
  const old = conditions.find((one) => textAt(one, "type") === condition.type);
  const lastTransitionTime =
    textAt(old, "status") === condition.status ? (textAt(old, "lastTransitionTime") ?? now) : now;
  const { type, status: value, reason, message } = condition;
  const changed: JsonObject = { type, status: value, lastTransitionTime, reason, message };
  const others = old === undefined ? [...conditions, changed] : conditions.map((one) => (one === old ? changed : one));
  return { ...crd, status: { ...status, conditions: others } };
}
