import type { Random } from "../../core/clock.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { numberAt, objectAt, objectsAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { invalid } from "../failures/failures.ts";
import { needsAddress, needsNodePorts } from "../validation/validate-service.ts";
import { invalid as invalidField } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";

/** Services get their addresses from 10.96.0.0/16; the first one is that of the API server. */
export const apiServerAddress = "10.96.0.1";
const addressRange = { prefix: "10.96.", size: 2 ** 16 } as const;
const nodePortRange = { first: 30_000, last: 32_767 } as const;

export interface ServiceAddressParts {
  readonly listServices: () => readonly KubeObject[];
  readonly random: Random;
}

export interface ServiceAddresses {
  /** Throws 422 for an address or port that another Service has, or asked for in a write that is under way. */
  assign(service: KubeObject, old: KubeObject | undefined): KubeObject;
  /** The write of an assigned Service has ended. */
  release(assigned: KubeObject): void;
}

/** What a write under way will take. */
interface Claim {
  readonly uid: string | undefined;
  readonly items: ReadonlySet<string | number>;
}

/**
 * Fills in the cluster address and the node ports of a valid Service that has none. Nothing listens on them: this hub
 * runs no proxies. Source: Kubernetes, registry/core/service.
 */
export function createServiceAddresses({ listServices, random }: ServiceAddressParts): ServiceAddresses {
  // Two writes at a time do not see each other in the list.
  const claims = new Map<KubeObject, Claim>();
  const isClaimed = (uid: string | undefined, item: string | number): boolean =>
    [...claims.values()].some((claim) => claim.uid !== uid && claim.items.has(item));
  return {
    assign: (service, old) => {
      const { uid } = service.metadata;
      const assigned = assign(service, old, (item) => isClaimed(uid, item));
      claims.set(assigned, { uid, items: itemsOf(assigned) });
      return assigned;
    },
    release: (assigned) => void claims.delete(assigned),
  };

  function assign(
    service: KubeObject,
    old: KubeObject | undefined,
    isClaimedByOther: (item: string | number) => boolean,
  ): KubeObject {
    const spec = objectAt(service, "spec") ?? {};
    const others = listServices().filter(({ metadata }) => metadata.uid !== service.metadata.uid);
    const refuse = (field: string, value: Json, text: string): never => {
      throw refused(service, invalidField(field, value, text));
    };
    const addressed = needsAddress(spec) ? withAddress(spec) : spec;
    const oldPorts = new Set(objectsAt(old, "spec", "ports").map((port) => numberAt(port, "nodePort") ?? 0));
    return { ...service, spec: needsNodePorts(spec) ? withNodePorts(addressed) : addressed };

    function withAddress(given: JsonObject): JsonObject {
      const families = withFamilies(given);
      const address = textAt(given, "clusterIP") ?? "";
      if (address === "None") return families;
      if (address !== "" && address === textAt(old, "spec", "clusterIP")) return families;
      const taken = new Set(others.flatMap((one) => textsAt(one, "spec", "clusterIPs")));
      if (address !== "") {
        const text = !isInRange(address)
          ? `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${addressRange.prefix}0.0/16`
          : taken.has(address) || isClaimedByOther(address)
            ? "provided IP is already allocated"
            : undefined;
        if (text === undefined) return families;
        return refuse("spec.clusterIPs", [address], `failed to allocate IP ${address}: ${text}`);
      }
      const chosen = chooseAddress(random, (one) => taken.has(one) || isClaimedByOther(one));
      return { ...families, clusterIP: chosen, clusterIPs: [chosen] };
    }

    function withNodePorts(given: JsonObject): JsonObject {
      const taken = new Set(
        others.flatMap((one) => objectsAt(one, "spec", "ports").map((port) => numberAt(port, "nodePort") ?? 0)),
      );
      const own = new Set(objectsAt(given, "ports").map((port) => numberAt(port, "nodePort") ?? 0));
      const ports = objectsAt(given, "ports").map((port, index): JsonObject => {
        const asked = numberAt(port, "nodePort") ?? 0;
        const path = `spec.ports[${index}].nodePort`;
        if (asked !== 0) {
          if (oldPorts.has(asked)) return port;
          if (asked < nodePortRange.first || asked > nodePortRange.last) {
            const range = `${nodePortRange.first}-${nodePortRange.last}`;
            return refuse(path, asked, `provided port is not in the valid range. The range of valid ports is ${range}`);
          }
          const isTaken = taken.has(asked) || isClaimedByOther(asked);
          return isTaken ? refuse(path, asked, "provided port is already allocated") : port;
        }
        const nodePort = chooseNodePort(random, (one) => own.has(one) || taken.has(one) || isClaimedByOther(one));
        own.add(nodePort);
        return { ...port, nodePort };
      });
      return given["ports"] === undefined ? given : { ...given, ports };
    }
  }
}

function withFamilies(given: JsonObject): JsonObject {
  const isFree = textAt(given, "clusterIP") === "None" && objectAt(given, "selector") === undefined;
  const ipFamilyPolicy = textAt(given, "ipFamilyPolicy") ?? (isFree ? "RequireDualStack" : "SingleStack");
  const asked = textsAt(given, "ipFamilies");
  const both = isFree && ipFamilyPolicy !== "SingleStack";
  const first = asked[0] ?? "IPv4";
  const ipFamilies = both ? [first, first === "IPv4" ? "IPv6" : "IPv4"] : asked.length > 0 ? [...asked] : [first];
  return { ...given, ipFamilies, ipFamilyPolicy };
}

function itemsOf(service: KubeObject): ReadonlySet<string | number> {
  const ports = objectsAt(service, "spec", "ports").map((port) => numberAt(port, "nodePort") ?? 0);
  return new Set([...textsAt(service, "spec", "clusterIPs"), ...ports].filter((item) => item !== 0 && item !== "None"));
}

function refused(service: KubeObject, error: FieldError): Error {
  return invalid({ group: "", kind: "Service", name: service.metadata.name }, [error]);
}

function isInRange(address: string): boolean {
  return address.startsWith(addressRange.prefix);
}

/** The first and last ones are for servers with a known address, and for broadcasts. */
function chooseAddress(random: Random, isTaken: (address: string) => boolean): string {
  const reserved = 256;
  const count = addressRange.size - reserved - 1;
  const start = Math.floor(random.next() * count);
  for (let step = 0; step < count; step += 1) {
    const number = reserved + ((start + step) % count);
    const address = `${addressRange.prefix}${number >> 8}.${number & 255}`;
    if (!isTaken(address)) return address;
  }
  throw new RangeError("no address is left for a Service");
}

function chooseNodePort(random: Random, isTaken: (port: number) => boolean): number {
  const count = nodePortRange.last - nodePortRange.first + 1;
  const start = Math.floor(random.next() * count);
  for (let step = 0; step < count; step += 1) {
    const port = nodePortRange.first + ((start + step) % count);
    if (!isTaken(port)) return port;
  }
  throw new RangeError("no port is left for a Service");
}
