import { isIPv6 } from "node:net";
import type { JsonObject } from "../../core/json.ts";
import { canonicalJson } from "../../core/json.ts";
import { objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { AddressFamily } from "./service-pods.ts";

/** An address of Endpoints (EndpointAddress), and whether it is ready for the ports that it is listed with. */
export interface Address {
  readonly address: JsonObject;
  readonly isReady: boolean;
}

/** What becomes one EndpointSlice: addresses of one family that have the same ports, the ready ones first. */
export interface AddressGroup {
  readonly family: AddressFamily;
  readonly ports: readonly JsonObject[];
  readonly addresses: readonly Address[];
}

/** One port, or none, and the addresses that have it: whether each is ready. */
interface PortAddresses {
  readonly port: JsonObject | undefined;
  readonly isReady: Map<string, boolean>;
}

/** The maximum number of pairs of a port and an address that are read: that of 100 slices of the largest size with one port. */
const mostPairs = 100_000;

export interface GroupedAddresses {
  readonly groups: readonly AddressGroup[];
  /** How many addresses of subsets are left out: with all their ports they are too many pairs. */
  readonly left: number;
}

/** Ports that have the same addresses are together, as in Endpoints that kube-controller-manager writes itself. */
export function groupAddresses(endpoints: KubeObject): GroupedAddresses {
  const addresses = new Map<string, JsonObject>();
  const byPort = new Map<string, PortAddresses>();
  let room = mostPairs;
  let left = 0;
  for (const subset of objectsAt(endpoints, "subsets")) {
    const ports = objectsAt(subset, "ports").map(slicePort);
    const all = addressesOf(subset);
    const pairsOfEach = Math.max(1, ports.length);
    const taken = all.slice(0, Math.floor(room / pairsOfEach));
    room -= taken.length * pairsOfEach;
    left += all.length - taken.length;
    for (const { address, isReady } of taken) {
      const key = `${textAt(address, "ip") ?? ""} ${textAt(address, "targetRef", "uid") ?? ""}`;
      if (!addresses.has(key)) addresses.set(key, address);
      for (const port of ports.length === 0 ? [undefined] : ports) recordPort(byPort, { port, key, isReady });
    }
  }
  return { groups: groupPorts(addresses, byPort), left };
}

function groupPorts(
  addresses: ReadonlyMap<string, JsonObject>,
  byPort: ReadonlyMap<string, PortAddresses>,
): readonly AddressGroup[] {
  const groups = new Map<string, { ports: JsonObject[]; isReady: PortAddresses["isReady"] }>();
  for (const { port, isReady } of byPort.values()) {
    const key = JSON.stringify([...isReady].sort());
    const group = groups.get(key) ?? { ports: [], isReady };
    groups.set(key, group);
    if (port !== undefined) group.ports.push(port);
  }
  return [...groups.values()].flatMap(({ ports, isReady }) => {
    const members = [...isReady].map(([key, ready]) => ({ address: addresses.get(key) ?? {}, isReady: ready }));
    return (["IPv4", "IPv6"] as const).flatMap((family) => {
      const own = members.filter(({ address }) => isIPv6(textAt(address, "ip") ?? "") === (family === "IPv6"));
      return own.length === 0 ? [] : [{ family, ports, addresses: readyFirst(own) }];
    });
  });
}

/** An address that is not ready for a port in one subset is not ready for it. */
function recordPort(
  byPort: Map<string, PortAddresses>,
  { port, key, isReady }: { readonly port: JsonObject | undefined; readonly key: string; readonly isReady: boolean },
): void {
  const portKey = port === undefined ? "" : canonicalJson(port);
  const known = byPort.get(portKey) ?? { port, isReady: new Map<string, boolean>() };
  byPort.set(portKey, known);
  known.isReady.set(key, isReady && known.isReady.get(key) !== false);
}

function addressesOf(subset: JsonObject): readonly Address[] {
  return [
    ...objectsAt(subset, "addresses").map((address) => ({ address, isReady: true })),
    ...objectsAt(subset, "notReadyAddresses").map((address) => ({ address, isReady: false })),
  ];
}

function readyFirst(addresses: readonly Address[]): readonly Address[] {
  return [...addresses.filter(({ isReady }) => isReady), ...addresses.filter(({ isReady }) => !isReady)];
}

function slicePort(port: JsonObject): JsonObject {
  const { appProtocol } = port;
  return {
    name: textAt(port, "name") ?? "",
    protocol: textAt(port, "protocol") ?? "TCP",
    port: port["port"] ?? 0,
    ...(appProtocol === undefined ? {} : { appProtocol }),
  };
}
