import { isTrueAt, numberAt, objectAt, objectsAt, textAt } from "../../core/read-json.ts";
import type { ContainerParts, PodSecurityRule } from "./pod-parts.ts";
import { containersNamed, distinct, plural, quoted, settersNamed } from "./pod-parts.ts";

/** What a Pod shares with its node. */
export const hostRules: readonly PodSecurityRule[] = [
  {
    name: "hostNamespaces",
    level: "baseline",
    check: ({ spec }) => {
      const shared = ["hostNetwork", "hostPID", "hostIPC"].filter((name) => isTrueAt(spec, name));
      if (shared.length === 0) return undefined;
      return { reason: "host namespaces", detail: shared.map((name) => `${name}=true`).join(", ") };
    },
  },
  {
    name: "hostPathVolumes",
    level: "baseline",
    check: ({ spec }) => {
      const volumes = objectsAt(spec, "volumes").filter((volume) => objectAt(volume, "hostPath") !== undefined);
      if (volumes.length === 0) return undefined;
      const names = quoted(volumes.map((volume) => textAt(volume, "name") ?? ""));
      return { reason: "hostPath volumes", detail: `${plural("volume", volumes.length)} ${names}` };
    },
  },
  {
    name: "hostPorts",
    level: "baseline",
    check: ({ containers }) => {
      const users = containers.filter((one) => hostPortsOf(one).length > 0);
      if (users.length === 0) return undefined;
      const ports = distinct(users.flatMap(hostPortsOf));
      const verb = users.length === 1 ? "uses" : "use";
      const detail = `${containersNamed(users)} ${verb} ${plural("hostPort", ports.length)} ${ports.join(", ")}`;
      return { reason: "hostPort", detail };
    },
  },
  {
    name: "hostProbesAndHostLifecycle",
    level: "baseline",
    sinceMinor: 34,
    check: ({ containers }) => {
      const users = containers.filter((one) => handlerHostsOf(one).length > 0);
      if (users.length === 0) return undefined;
      const hosts = distinct(users.flatMap(handlerHostsOf));
      const verb = users.length === 1 ? "uses" : "use";
      const detail = `${containersNamed(users)} ${verb} probe or lifecycle ${plural("host", hosts.length)} ${quoted(hosts)}`;
      return { reason: "probe or lifecycle host", detail };
    },
  },
  {
    name: "windowsHostProcess",
    level: "baseline",
    check: ({ security, containers }) => {
      const isPod = isTrueAt(security, "windowsOptions", "hostProcess");
      const users = containers.filter((one) => isTrueAt(one.security, "windowsOptions", "hostProcess"));
      if (!isPod && users.length === 0) return undefined;
      const setters = settersNamed(isPod, users);
      return {
        reason: "hostProcess",
        detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true`,
      };
    },
  },
];

function hostPortsOf({ container }: ContainerParts): readonly string[] {
  return objectsAt(container, "ports")
    .map((port) => numberAt(port, "hostPort") ?? 0)
    .filter((port) => port !== 0)
    .map(String);
}

const handlers: readonly (readonly string[])[] = [
  ["livenessProbe"],
  ["readinessProbe"],
  ["startupProbe"],
  ["lifecycle", "postStart"],
  ["lifecycle", "preStop"],
];

/** Hosts that probes and hooks of a container name: the kubelet would call them in the network of the node. */
function handlerHostsOf({ container }: ContainerParts): readonly string[] {
  return handlers
    .flatMap((path) => ["httpGet", "tcpSocket"].map((action) => textAt(container, ...path, action, "host") ?? ""))
    .filter((host) => host !== "");
}
