import { isTrueAt, numberAt, textAt, valueAt } from "../../core/read-json.ts";
import type { PodSecurityRule, Violation } from "./pod-parts.ts";
import { containersNamed, distinct, quoted, settersNamed } from "./pod-parts.ts";

const plainProcMounts: ReadonlySet<string> = new Set(["", "Default"]);

/** What the processes of a Pod may do, and as which user they run. */
export const privilegeRules: readonly PodSecurityRule[] = [
  {
    name: "privileged",
    level: "baseline",
    check: ({ containers }) => {
      const bad = containers.filter(({ security }) => isTrueAt(security, "privileged"));
      return refuse("privileged", bad.length > 0, () => [
        `${containersNamed(bad)} must not set securityContext.privileged=true`,
      ]);
    },
  },
  {
    name: "procMount",
    level: "baseline",
    check: ({ containers }) => {
      const bad = containers.filter(({ security }) => !plainProcMounts.has(textAt(security, "procMount") ?? ""));
      const types = distinct(bad.map(({ security }) => textAt(security, "procMount") ?? ""));
      return refuse("procMount", bad.length > 0, () => [
        `${containersNamed(bad)} must not set securityContext.procMount to ${quoted(types)}`,
      ]);
    },
  },
  {
    name: "allowPrivilegeEscalation",
    level: "restricted",
    sinceMinor: 8,
    check: ({ containers, isWindows }) => {
      const bad = containers.filter(({ security }) => valueAt(security, "allowPrivilegeEscalation") !== false);
      return refuse("allowPrivilegeEscalation != false", bad.length > 0 && !isWindows, () => [
        `${containersNamed(bad)} must set securityContext.allowPrivilegeEscalation=false`,
      ]);
    },
  },
  {
    name: "runAsNonRoot",
    level: "restricted",
    check: ({ security: ofPod, containers }) => {
      const podValue = valueAt(ofPod, "runAsNonRoot");
      const bad = containers.filter(({ security }) => valueAt(security, "runAsNonRoot") === false);
      const unset = containers.filter(({ security }) => typeof valueAt(security, "runAsNonRoot") !== "boolean");
      const isPodBad = podValue === false;
      const isUnset = podValue !== true && podValue !== false && unset.length > 0;
      return refuse("runAsNonRoot != true", isPodBad || bad.length > 0 || isUnset, () => [
        ...(isPodBad || bad.length > 0
          ? [`${settersNamed(isPodBad, bad)} must not set securityContext.runAsNonRoot=false`]
          : []),
        ...(isUnset && bad.length === 0
          ? [`pod or ${containersNamed(unset)} must set securityContext.runAsNonRoot=true`]
          : []),
      ]);
    },
  },
  {
    name: "runAsUser",
    level: "restricted",
    sinceMinor: 23,
    check: ({ security: ofPod, containers }) => {
      const isPod = numberAt(ofPod, "runAsUser") === 0;
      const bad = containers.filter(({ security }) => numberAt(security, "runAsUser") === 0);
      return refuse("runAsUser=0", isPod || bad.length > 0, () => [
        `${settersNamed(isPod, bad)} must not set runAsUser=0`,
      ]);
    },
  },
];

function refuse(reason: string, isViolated: boolean, details: () => readonly string[]): Violation | undefined {
  return isViolated ? { reason, detail: details().join("; ") } : undefined;
}
