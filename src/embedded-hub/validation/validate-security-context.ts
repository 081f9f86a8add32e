import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import { isTrueAt, objectAt, textAt, textsAt } from "../../core/read-json.ts";
import { forbidden, indexPath, invalid, invalidStruct, notSupported } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { largestInt32 } from "./checks.ts";
import { validateAppArmor, validateSeccomp } from "./validate-profiles.ts";
import { validateSysctls } from "./validate-sysctls.ts";
import { validateWindowsOptions } from "./validate-windows.ts";

// Source of this file: Kubernetes, pkg/apis/core/validation.

const procMounts = ["Default", "Unmasked"];

/** What is wrong with the rights of a container. Its users are those of the host unless the Pod has `hostUsers: false`. */
export function validateSecurityContext(
  context: JsonObject | undefined,
  path: string,
  { hasHostUsers }: { readonly hasHostUsers: boolean },
): FieldError[] {
  if (context === undefined) return [];
  return [
    ...validateIds(context, path, ["runAsUser", "runAsGroup"]),
    ...validateProcMount(context, `${path}.procMount`, hasHostUsers),
    ...validateSeccomp(context, path),
    ...validateEscalation(context, path),
    ...validateWindowsOptions(context, path),
    ...validateAppArmor(context, path),
  ];
}

function validateProcMount(context: JsonObject, field: string, hasHostUsers: boolean): FieldError[] {
  const mount = textAt(context, "procMount");
  if (mount === undefined) return [];
  if (!procMounts.includes(mount)) return [notSupported(field, mount, procMounts)];
  if (mount === "Default" || !hasHostUsers) return [];
  return [invalid(field, mount, "`hostUsers` must be false to use `Unmasked`")];
}

function validateEscalation(context: JsonObject, path: string): FieldError[] {
  if (context["allowPrivilegeEscalation"] !== false) return [];
  const errors: FieldError[] = [];
  const printed = printContext(context);
  if (isTrueAt(context, "privileged")) {
    errors.push(
      invalidStruct(path, printed, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"),
    );
  }
  if (textsAt(context, "capabilities", "add").includes("CAP_SYS_ADMIN")) {
    const text = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
    errors.push(invalidStruct(path, printed, text));
  }
  return errors;
}

/** An API server prints its own form of the object, in the order of that. */
function printContext(context: JsonObject): JsonObject {
  const { capabilities, seLinuxOptions, windowsOptions, seccompProfile, appArmorProfile } = context;
  const { runAsUser = null, runAsGroup = null, runAsNonRoot = null, procMount = null } = context;
  return {
    Capabilities: printPart(capabilities, { Add: null, Drop: null }),
    Privileged: context["privileged"] ?? null,
    SELinuxOptions: printPart(seLinuxOptions, { User: "", Role: "", Type: "", Level: "" }),
    WindowsOptions: printPart(windowsOptions, {
      ...{ GMSACredentialSpecName: null, GMSACredentialSpec: null },
      ...{ RunAsUserName: null, HostProcess: null },
    }),
    RunAsUser: runAsUser,
    RunAsGroup: runAsGroup,
    RunAsNonRoot: runAsNonRoot,
    ReadOnlyRootFilesystem: context["readOnlyRootFilesystem"] ?? null,
    AllowPrivilegeEscalation: context["allowPrivilegeEscalation"] ?? null,
    ProcMount: procMount,
    SeccompProfile: printPart(seccompProfile, { Type: "", LocalhostProfile: null }),
    AppArmorProfile: printPart(appArmorProfile, { Type: "", LocalhostProfile: null }),
  };
}

/** The fields of a part by their names in that form, which differ in capitals alone; what is not set is as given. */
function printPart(part: Json | undefined, fields: JsonObject): Json {
  if (!isJsonObject(part)) return null;
  const values = new Map(Object.entries(part).map(([name, value]) => [name.toLowerCase(), value]));
  return Object.fromEntries(
    Object.entries(fields).map(([name, unset]) => [name, values.get(name.toLowerCase()) ?? unset]),
  );
}

/** What is wrong with the rights of all containers of a Pod, and with the processes that it shows them. */
export function validatePodSecurityContext(spec: JsonObject, path: string): FieldError[] {
  const context = objectAt(spec, "securityContext") ?? {};
  return [
    ...validateIds(context, path, ["fsGroup", "runAsUser", "runAsGroup"]),
    ...validateGroups(context, `${path}.supplementalGroups`),
    // An API server names the place that the field has in its own form of a Pod.
    ...(isTrueAt(spec, "shareProcessNamespace") && isTrueAt(spec, "hostPID")
      ? [invalid(`${path}.shareProcessNamespace`, true, "ShareProcessNamespace and HostPID cannot both be enabled")]
      : []),
    ...validateSysctls(spec, `${path}.sysctls`),
    ...validateIfThere(context, path, { name: "fsGroupChangePolicy", choices: ["Always", "OnRootMismatch"] }),
    ...validateSeccomp(context, path),
    ...validateWindowsOptions(context, path),
    ...validateAppArmor(context, path),
    ...validateIfThere(context, path, { name: "supplementalGroupsPolicy", choices: ["Merge", "Strict"] }),
    // The other value needs a feature that is off by default.
    ...validateIfThere(context, path, { name: "seLinuxChangePolicy", choices: ["Recursive"] }),
  ];
}

function validateGroups(context: JsonObject, path: string): FieldError[] {
  const groups: unknown = context["supplementalGroups"];
  if (!Array.isArray(groups)) return [];
  return groups.flatMap((group: unknown, index) => validateId(group, indexPath(path, index)));
}

/** A Pod with users of its own has no namespace of its node. */
export function validateHostUsers(spec: JsonObject, path: string): FieldError[] {
  if (keepsHostUsers(spec)) return [];
  const fields = { hostNetwork: "hostNetwork", hostPID: "HostPID", hostIPC: "HostIPC" };
  return Object.entries(fields)
    .filter(([name]) => isTrueAt(spec, name))
    .map(([, field]) => forbidden(`${path}.${field}`, "when `hostUsers` is false"));
}

export function keepsHostUsers(spec: JsonObject): boolean {
  return spec["hostUsers"] !== false;
}

function validateIfThere(
  holder: JsonObject,
  path: string,
  { name, choices }: { readonly name: string; readonly choices: readonly string[] },
): FieldError[] {
  const value = textAt(holder, name);
  return value === undefined || choices.includes(value) ? [] : [notSupported(`${path}.${name}`, value, choices)];
}

function validateIds(context: JsonObject, path: string, names: readonly string[]): FieldError[] {
  return names.flatMap((name) => validateId(context[name], `${path}.${name}`));
}

/** Numbers beyond 2^53 are printed to their last digit. */
function validateId(id: unknown, field: string): FieldError[] {
  if ((typeof id !== "number" && typeof id !== "bigint") || (id >= 0 && id <= largestInt32)) return [];
  return [invalid(field, id, `must be between 0 and ${largestInt32}, inclusive`)];
}
