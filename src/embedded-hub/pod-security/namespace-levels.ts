import { textMapAt } from "../../core/read-json.ts";
import { invalid } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import type { PodSecurityLevel, PodSecurityPolicy } from "./pod-security.ts";

/** Each has a label for its level and one for its version. */
export const podSecurityModes = ["enforce", "audit", "warn"] as const;
type PodSecurityMode = (typeof podSecurityModes)[number];

const levels: readonly PodSecurityLevel[] = ["privileged", "baseline", "restricted"];
const labelOf = (mode: PodSecurityMode): string => `pod-security.kubernetes.io/${mode}`;

/**
 * What a namespace asks for under one mode; without labels privileged and latest. A level that is not valid counts as restricted.
 * What is refused is warned of where no level of warnings is named.
 */
export function policyOf(namespace: unknown, mode: PodSecurityMode): PodSecurityPolicy {
  const labels = textMapAt(namespace, "metadata", "labels");
  const level = labels[labelOf(mode)];
  if (mode === "warn" && level === undefined) return policyOf(namespace, "enforce");
  const version = labels[`${labelOf(mode)}-version`] ?? "latest";
  const known = levels.find((one) => one === (level ?? "privileged")) ?? "restricted";
  return { level: known, version: isVersion(version) ? version : "latest" };
}

/** `baseline:latest` */
export function describePolicy({ level, version }: PodSecurityPolicy): string {
  return `${level}:${version}`;
}

export function isStricter(one: PodSecurityPolicy, other: PodSecurityPolicy): boolean {
  return levels.indexOf(one.level) > levels.indexOf(other.level);
}

/** What is wrong with the labels of a Namespace. */
export function validatePodSecurityLabels(namespace: unknown): FieldError[] {
  const labels = textMapAt(namespace, "metadata", "labels");
  return podSecurityModes.flatMap((mode) => {
    const [level, version] = [labels[labelOf(mode)], labels[`${labelOf(mode)}-version`]];
    const isLevel = level === undefined || levels.some((one) => one === level);
    return [
      ...(isLevel ? [] : [invalid(fieldOf(labelOf(mode)), level, `must be one of ${levels.join(", ")}`)]),
      ...(version === undefined || isVersion(version)
        ? []
        : [invalid(fieldOf(`${labelOf(mode)}-version`), version, 'must be "latest" or "v1.x"')]),
    ];
  });
}

function fieldOf(label: string): string {
  return `metadata.labels[${label}]`;
}

function isVersion(text: string): boolean {
  return text === "latest" || /^v1\.(?:0|[1-9]\d*)$/u.test(text);
}
