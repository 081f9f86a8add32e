// pod-security: which Pods the levels of the Pod Security Standards admit. One file of rules for each part of a Pod.
// Source: Kubernetes documentation, Pod Security Standards; the texts are those that kube-apiserver answers with.
import { capabilityRules } from "./capability-rules.ts";
import { hostRules } from "./host-rules.ts";
import { kernelRules } from "./kernel-rules.ts";
import type { PodSecurityRule, Violation } from "./pod-parts.ts";
import { podPartsOf } from "./pod-parts.ts";
import { privilegeRules } from "./privilege-rules.ts";
import { volumeRules } from "./volume-rules.ts";

export type PodSecurityLevel = "privileged" | "baseline" | "restricted";

/** `version` is `latest`, or `v1.24`: rules that came later do not count then. */
export interface PodSecurityPolicy {
  readonly level: PodSecurityLevel;
  readonly version: string;
}

const rules: readonly PodSecurityRule[] = [
  ...hostRules,
  ...privilegeRules,
  ...capabilityRules,
  ...kernelRules,
  ...volumeRules,
];

/** What a Pod violates, in the order of kube-apiserver: rules of baseline by name, then those of restricted. */
export function podViolations({ level, version }: PodSecurityPolicy, pod: unknown): readonly Violation[] {
  if (level === "privileged") return [];
  const minor = version === "latest" ? Infinity : Number(version.slice("v1.".length));
  const parts = podPartsOf(pod, minor);
  const applied = rules.filter(
    (rule) => (rule.level === "baseline" || level === "restricted") && minor >= (rule.sinceMinor ?? 0),
  );
  const replaced = new Set(applied.flatMap((rule) => rule.replaces ?? []));
  return applied
    .filter((rule) => !replaced.has(rule.name))
    .sort(byLevelAndName)
    .flatMap((rule) => rule.check(parts) ?? []);
}

/** `reason (detail), reason (detail)` */
export function describeViolations(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${detail})`)).join(", ");
}

function byLevelAndName(one: PodSecurityRule, other: PodSecurityRule): number {
  if (one.level !== other.level) return one.level === "baseline" ? -1 : 1;
  return one.name < other.name ? -1 : 1;
}
