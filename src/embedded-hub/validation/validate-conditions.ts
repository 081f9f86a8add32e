import type { JsonObject } from "../../core/json.ts";
import { numberAt, textAt } from "../../core/read-json.ts";
import type { NameCheck } from "../../core/formats/kube-names.ts";
import { checkQualifiedName } from "../../core/formats/kube-names.ts";
import { duplicate, invalid, notSupported, required, tooLong } from "../schema/field-error.ts";
import { firstPlaces } from "../schema/first-places.ts";
import type { FieldError } from "../schema/schema.ts";
import { hold } from "./checks.ts";
import { eachOf } from "./checks-network.ts";

const statuses = ["False", "True", "Unknown"];
const most = { reason: 1024, message: 32 * 1024 };

const checkReason: NameCheck = (text) =>
  /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/u.test(text)
    ? []
    : [
        "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')",
      ];

/** What is wrong with the conditions of a status. Source: Kubernetes, apimachinery meta/v1/validation ValidateConditions. */
export function validateConditions(conditions: readonly JsonObject[], path: string): FieldError[] {
  const typeOf = (condition: JsonObject): string => textAt(condition, "type") ?? "";
  const places = firstPlaces(conditions.map(typeOf));
  return eachOf(conditions, path, (condition, at, index) => {
    const isRepeated = places.get(typeOf(condition)) !== index;
    return [
      ...(isRepeated ? [duplicate(`${at}.type`, typeOf(condition))] : []),
      ...validateCondition(condition, typeOf(condition), at),
    ];
  });
}

function validateCondition(condition: JsonObject, type: string, path: string): FieldError[] {
  const [status = "", reason = "", message = "", time = ""] = ["status", "reason", "message", "lastTransitionTime"].map(
    (name) => textAt(condition, name),
  );
  const generation = numberAt(condition, "observedGeneration") ?? 0;
  return [
    ...hold(checkQualifiedName, type, `${path}.type`),
    ...(statuses.includes(status) ? [] : [notSupported(`${path}.status`, status, statuses)]),
    ...(generation < 0
      ? [invalid(`${path}.observedGeneration`, generation, "must be greater than or equal to zero")]
      : []),
    ...(time === "" ? [required(`${path}.lastTransitionTime`)] : []),
    ...(reason === "" ? [required(`${path}.reason`)] : hold(checkReason, reason, `${path}.reason`)),
    ...(Buffer.byteLength(reason) > most.reason ? [tooLong(`${path}.reason`, most.reason)] : []),
    ...(Buffer.byteLength(message) > most.message ? [tooLong(`${path}.message`, most.message)] : []),
  ];
}
