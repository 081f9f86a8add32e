import { objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import type { JsonObject } from "../../core/json.ts";
import type { PodParts, PodSecurityRule, Violation } from "./pod-parts.ts";
import { containersNamed, distinct, plural, quoted, settersNamed } from "./pod-parts.ts";

/** Sysctls that are kept apart for each Pod, and the minor version that allowed them. */
const safeSysctls: ReadonlyMap<string, number> = new Map([
  ["kernel.shm_rmid_forced", 0],
  ["net.ipv4.ip_local_port_range", 0],
  ["net.ipv4.ip_unprivileged_port_start", 0],
  ["net.ipv4.ping_group_range", 0],
  ["net.ipv4.tcp_syncookies", 0],
  ["net.ipv4.ip_local_reserved_ports", 27],
  ["net.ipv4.tcp_fin_timeout", 29],
  ["net.ipv4.tcp_keepalive_intvl", 29],
  ["net.ipv4.tcp_keepalive_probes", 29],
  ["net.ipv4.tcp_keepalive_time", 29],
  ["net.ipv4.tcp_rmem", 32],
  ["net.ipv4.tcp_wmem", 32],
]);
/** The types of SELinux that are allowed, likewise. */
const seLinuxTypes: ReadonlyMap<string, number> = new Map([
  ["", 0],
  ["container_t", 0],
  ["container_init_t", 0],
  ["container_kvm_t", 0],
  ["container_engine_t", 31],
]);

/** How the kernel confines a Pod. */
export const kernelRules: readonly PodSecurityRule[] = [
  { name: "appArmorProfile", level: "baseline", check: checkAppArmor },
  { name: "seLinuxOptions", level: "baseline", check: checkSeLinux },
  {
    name: "seccompProfile_baseline",
    level: "baseline",
    sinceMinor: 19,
    check: (pod) => {
      const detail = unconfined(pod);
      return detail === undefined ? undefined : { reason: "seccompProfile", detail };
    },
  },
  {
    name: "seccompProfile_restricted",
    level: "restricted",
    sinceMinor: 19,
    replaces: "seccompProfile_baseline",
    check: (pod) => {
      if (pod.isWindows) return undefined;
      const unset = pod.containers.filter(({ security }) => seccompOf(security) === undefined);
      const isUnset = seccompOf(pod.security) === undefined && unset.length > 0;
      const bad = unconfined(pod);
      if (bad !== undefined) return { reason: "seccompProfile", detail: bad };
      const wanted = 'securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
      return isUnset
        ? { reason: "seccompProfile", detail: `pod or ${containersNamed(unset)} must set ${wanted}` }
        : undefined;
    },
  },
  {
    name: "sysctls",
    level: "baseline",
    check: ({ security, minor }) => {
      const names = objectsAt(security, "sysctls").map((sysctl) => textAt(sysctl, "name") ?? "");
      const forbidden = names.filter((name) => !isIn(safeSysctls, name, minor));
      return forbidden.length === 0 ? undefined : { reason: "forbidden sysctls", detail: forbidden.join(", ") };
    },
  },
];

function seccompOf(security: JsonObject): string | undefined {
  return textAt(security, "seccompProfile", "type");
}

function unconfined({ security, containers }: PodParts): string | undefined {
  const isPod = seccompOf(security) === "Unconfined";
  const bad = containers.filter((one) => seccompOf(one.security) === "Unconfined");
  if (!isPod && bad.length === 0) return undefined;
  return `${settersNamed(isPod, bad)} must not set securityContext.seccompProfile.type to "Unconfined"`;
}

function checkAppArmor({ security, containers }: PodParts): Violation | undefined {
  const isUnconfined = (one: JsonObject): boolean => textAt(one, "appArmorProfile", "type") === "Unconfined";
  const bad = containers.filter((one) => isUnconfined(one.security));
  if (!isUnconfined(security) && bad.length === 0) return undefined;
  const setters = settersNamed(isUnconfined(security), bad);
  return {
    reason: "forbidden AppArmor profile",
    detail: `${setters} must not set AppArmor profile type to "Unconfined"`,
  };
}

function checkSeLinux({ security, containers, minor }: PodParts): Violation | undefined {
  const optionsOf = (one: JsonObject): JsonObject => objectAt(one, "seLinuxOptions") ?? {};
  const typeOf = (one: JsonObject): string => textAt(optionsOf(one), "type") ?? "";
  const all = [security, ...containers.map((one) => one.security)].map(optionsOf);
  const types = distinct(
    all.map((one) => textAt(one, "type") ?? "").filter((type) => !isIn(seLinuxTypes, type, minor)),
  );
  const isSet = (name: string) => all.some((one) => (textAt(one, name) ?? "") !== "");
  const isBad = (one: JsonObject): boolean =>
    !isIn(seLinuxTypes, typeOf(one), minor) ||
    ["user", "role"].some((name) => (textAt(optionsOf(one), name) ?? "") !== "");
  const details = [
    ...(types.length === 0 ? [] : [`${plural("type", types.length)} ${quoted(types)}`]),
    ...(isSet("user") ? ["user may not be set"] : []),
    ...(isSet("role") ? ["role may not be set"] : []),
  ];
  if (details.length === 0) return undefined;
  const setters = settersNamed(
    isBad(security),
    containers.filter((one) => isBad(one.security)),
  );
  return {
    reason: "seLinuxOptions",
    detail: `${setters} set forbidden securityContext.seLinuxOptions: ${details.join("; ")}`,
  };
}

function isIn(allowed: ReadonlyMap<string, number>, name: string, minor: number): boolean {
  const since = allowed.get(name);
  return since !== undefined && minor >= since;
}
