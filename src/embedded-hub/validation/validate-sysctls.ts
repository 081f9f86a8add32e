import type { JsonObject } from "../../core/json.ts";
import { isTrueAt, objectsAt, textAt } from "../../core/read-json.ts";
import { duplicate, indexPath, invalid, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";

// Source of this file: Kubernetes, pkg/apis/core/validation and component-helpers node/util/sysctl.

const longestName = 253;
const validName = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/u;
const nameText =
  "must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";

/**
 * What is wrong with the kernel parameters of a Pod: their names, names that occur twice, and parameters of a namespace of
 * the kernel that the Pod shares with its node. Values are not checked: each parameter has its own.
 */
export function validateSysctls(spec: JsonObject, path: string): FieldError[] {
  const seen = new Set<string>();
  return objectsAt(spec, "securityContext", "sysctls").flatMap((sysctl, index) => {
    const field = `${indexPath(path, index)}.name`;
    const name = textAt(sysctl, "name") ?? "";
    const isRepeated = seen.has(name);
    seen.add(name);
    return [...validateName(name, field, isRepeated), ...validateSharing(spec, name, field)];
  });
}

function validateName(name: string, field: string, isRepeated: boolean): FieldError[] {
  if (name === "") return [required(field)];
  if (name.length > longestName || !validName.test(name)) return [invalid(field, name, nameText)];
  return isRepeated ? [duplicate(field, name)] : [];
}

function validateSharing(spec: JsonObject, name: string, field: string): FieldError[] {
  const dotted = withDots(name);
  if (isTrueAt(spec, "hostNetwork") && dotted.startsWith("net.")) {
    return [invalid(field, name, "may not be specified when 'hostNetwork' is true")];
  }
  if (isTrueAt(spec, "hostIPC") && isOfProcesses(dotted)) {
    return [invalid(field, name, "may not be specified when 'hostIPC' is true")];
  }
  return [];
}

const ofProcesses: ReadonlySet<string> = new Set([
  ...["kernel.sem", "kernel.shmall", "kernel.shmmax", "kernel.shmmni", "kernel.shm_rmid_forced"],
  ...["kernel.msgmax", "kernel.msgmnb", "kernel.msgmni"],
]);

/** Whether a parameter belongs to the namespace of communication between processes. */
function isOfProcesses(dotted: string): boolean {
  return ofProcesses.has(dotted) || dotted.startsWith("fs.mqueue.");
}

/** `net/ipv4/conf/eno2.100/rp_filter` is `net.ipv4.conf.eno2/100.rp_filter`: the first separator decides. */
function withDots(name: string): string {
  const first = /[./]/u.exec(name)?.[0];
  return first === "/" ? name.replaceAll(/[./]/gu, (separator) => (separator === "/" ? "." : "/")) : name;
}
