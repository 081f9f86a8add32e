import { textsAt } from "../../core/read-json.ts";
import type { ContainerParts, PodSecurityRule } from "./pod-parts.ts";
import { containersNamed, distinct, quoted } from "./pod-parts.ts";

/** What a container gets without asking, and may ask for under baseline. */
const defaultCapabilities: ReadonlySet<string> = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);
const restrictedCapabilities: ReadonlySet<string> = new Set(["NET_BIND_SERVICE"]);

export const capabilityRules: readonly PodSecurityRule[] = [
  {
    name: "capabilities_baseline",
    level: "baseline",
    check: ({ containers }) => {
      const details = addedBeyond(containers, defaultCapabilities);
      return details.length === 0 ? undefined : { reason: "non-default capabilities", detail: details.join("; ") };
    },
  },
  {
    name: "capabilities_restricted",
    level: "restricted",
    sinceMinor: 22,
    replaces: "capabilities_baseline",
    check: ({ containers, isWindows }) => {
      if (isWindows) return undefined;
      const keeping = containers.filter(({ security }) => !textsAt(security, "capabilities", "drop").includes("ALL"));
      const details = [
        ...(keeping.length === 0
          ? []
          : [`${containersNamed(keeping)} must set securityContext.capabilities.drop=["ALL"]`]),
        ...addedBeyond(containers, restrictedCapabilities),
      ];
      return details.length === 0 ? undefined : { reason: "unrestricted capabilities", detail: details.join("; ") };
    },
  },
];

function addedBeyond(containers: readonly ContainerParts[], allowed: ReadonlySet<string>): readonly string[] {
  const othersOf = ({ security }: ContainerParts): readonly string[] =>
    textsAt(security, "capabilities", "add").filter((name) => !allowed.has(name));
  const bad = containers.filter((one) => othersOf(one).length > 0);
  if (bad.length === 0) return [];
  const names = quoted(distinct(bad.flatMap(othersOf)));
  return [`${containersNamed(bad)} must not include ${names} in securityContext.capabilities.add`];
}
