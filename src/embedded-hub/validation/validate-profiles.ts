import type { JsonObject } from "../../core/json.ts";
import { objectAt, textAt } from "../../core/read-json.ts";
import { invalid, invalidStruct, notSupported, required, tooLong } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { validateRelativePath } from "./validate-volume.ts";

// What the kernel of a node lets a container do. Source of this file: Kubernetes, pkg/apis/core/validation.

const types = ["Localhost", "RuntimeDefault", "Unconfined"];
/** The longest path of Linux, without the zero at its end. */
const longestPathBytes = 4095;

/** What is wrong with the seccomp profile of a container or a Pod. */
export function validateSeccomp(context: JsonObject, path: string): FieldError[] {
  const profile = objectAt(context, "seccompProfile");
  if (profile === undefined) return [];
  const field = `${path}.seccompProfile`;
  const type = textAt(profile, "type") ?? "";
  const local = textAt(profile, "localhostProfile");
  const errors = validateType(type, `${field}.type`, "seccompProfile");
  if (type !== "Localhost") {
    if (local === undefined) return errors;
    const printed = { Type: type, LocalhostProfile: local };
    const text = "can only be set when seccomp type is Localhost";
    return [...errors, invalidStruct(`${field}.localhostProfile`, printed, text)];
  }
  if (local === undefined) return [required(`${field}.localhostProfile`, "must be set when seccomp type is Localhost")];
  return validateRelativePath(local, `${field}.localhostProfile`);
}

/** What is wrong with the AppArmor profile of a container or a Pod. */
export function validateAppArmor(context: JsonObject, path: string): FieldError[] {
  const profile = objectAt(context, "appArmorProfile");
  if (profile === undefined) return [];
  const field = `${path}.appArmorProfile`;
  const type = textAt(profile, "type") ?? "";
  const local = textAt(profile, "localhostProfile");
  const errors = validateType(type, `${field}.type`, "appArmorProfile");
  if (errors.length > 0) return errors;
  if (type === "Localhost") return validateLocalProfile(local ?? "", `${field}.localhostProfile`);
  if (local === undefined) return [];
  return [invalid(`${field}.localhostProfile`, local, "can only be set when AppArmor type is Localhost")];
}

function validateLocalProfile(local: string, field: string): FieldError[] {
  if (local === "") return [required(field, "must be set when AppArmor type is Localhost")];
  return [
    ...(local === local.trim() ? [] : [invalid(field, local, "must not be padded with whitespace")]),
    ...(Buffer.byteLength(local) > longestPathBytes ? [tooLong(field, longestPathBytes)] : []),
  ];
}

function validateType(type: string, field: string, name: string): FieldError[] {
  if (types.includes(type)) return [];
  return [type === "" ? required(field, `type is required when ${name} is set`) : notSupported(field, type, types)];
}
