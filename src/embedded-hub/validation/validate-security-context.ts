import type { JsonObject } from "../../core/json.ts";
import { isTrueAt, numberAt, objectAt, textAt, textsAt, valueAt } from "../../core/read-json.ts";
import { indexPath, invalid, invalidStruct, notSupported, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { largestInt32 } from "./checks.ts";
import { validateSysctls } from "./validate-sysctls.ts";
import { validateRelativePath } from "./validate-volume.ts";

// Source of this file: Kubernetes, pkg/apis/core/validation.

const seccompTypes = ["Localhost", "RuntimeDefault", "Unconfined"];

/** What is wrong with the rights of a container. */
export function validateSecurityContext(context: JsonObject | undefined, path: string): FieldError[] {
  if (context === undefined) return [];
  const errors = [...validateIds(context, path, ["runAsUser", "runAsGroup"]), ...validateSeccomp(context, path)];
  if (valueAt(context, "allowPrivilegeEscalation") !== false) return errors;
  if (isTrueAt(context, "privileged")) {
    errors.push(invalid(path, context, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"));
  }
  if (textsAt(context, "capabilities", "add").includes("CAP_SYS_ADMIN")) {
    const text = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
    errors.push(invalid(path, context, text));
  }
  return errors;
}

/** What is wrong with the rights of all containers of a Pod. */
export function validatePodSecurityContext(spec: JsonObject, path: string): FieldError[] {
  const context = objectAt(spec, "securityContext");
  if (context === undefined) return [];
  const groups: unknown = valueAt(context, "supplementalGroups");
  const errors = [
    ...validateIds(context, path, ["fsGroup", "runAsUser", "runAsGroup"]),
    ...(Array.isArray(groups) ? groups : []).flatMap((group: unknown, index) =>
      typeof group === "number" ? validateId(group, indexPath(`${path}.supplementalGroups`, index)) : [],
    ),
  ];
  if (isTrueAt(context, "shareProcessNamespace") && isTrueAt(spec, "hostPID")) {
    const text = "ShareProcessNamespace and HostPID cannot both be enabled";
    errors.push(invalid(`${path}.shareProcessNamespace`, true, text));
  }
  return [...errors, ...validateSysctls(spec, `${path}.sysctls`), ...validateSeccomp(context, path)];
}

function validateIds(context: JsonObject, path: string, names: readonly string[]): FieldError[] {
  return names.flatMap((name) => {
    const id = numberAt(context, name);
    return id === undefined ? [] : validateId(id, `${path}.${name}`);
  });
}

function validateId(id: number, field: string): FieldError[] {
  return id >= 0 && id <= largestInt32 ? [] : [invalid(field, id, `must be between 0 and ${largestInt32}, inclusive`)];
}

function validateSeccomp(context: JsonObject, path: string): FieldError[] {
  const profile = objectAt(context, "seccompProfile");
  if (profile === undefined) return [];
  const field = `${path}.seccompProfile`;
  const type = textAt(profile, "type") ?? "";
  const local = textAt(profile, "localhostProfile");
  const errors = seccompTypes.includes(type)
    ? []
    : [
        type === ""
          ? required(`${field}.type`, "type is required when seccompProfile is set")
          : notSupported(`${field}.type`, type, seccompTypes),
      ];
  if (type !== "Localhost") {
    if (local === undefined) return errors;
    const printed = { Type: type, LocalhostProfile: local };
    const text = "can only be set when seccomp type is Localhost";
    return [...errors, invalidStruct(`${field}.localhostProfile`, printed, text)];
  }
  if (local === undefined) {
    return [...errors, required(`${field}.localhostProfile`, "must be set when seccomp type is Localhost")];
  }
  return [...errors, ...validateRelativePath(local, `${field}.localhostProfile`)];
}
