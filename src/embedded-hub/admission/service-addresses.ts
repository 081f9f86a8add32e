import type { Random } from "../../core/clock.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { objectAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { invalid } from "../failures/failures.ts";
import { plainAddress } from "../validation/legacy-addresses.ts";
import { isFree, policyOf } from "../validation/validate-service-addresses.ts";
import { needsAddress } from "../validation/validate-service.ts";
import { invalid as invalidField } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import type { Follow, Item } from "./taken-items.ts";
import { createTakenItems } from "./taken-items.ts";
import { nodePortRange, nodePortsOf, portPool, withNodePorts } from "./service-ports.ts";

/** Services get their addresses from 10.96.0.0/16; the first one is that of the API server. */
export const apiServerAddress = "10.96.0.1";
const addressRange = { prefix: "10.96.", size: 2 ** 16 } as const;
const networkAddress = `${addressRange.prefix}0.0`;

export interface ServiceAddressParts {
  readonly followServices: Follow;
  readonly random: Random;
}

export interface ServiceAddresses {
  /** Throws 422 for an address or port that another Service has, or asked for in a write that is under way. */
  assign(assignment: Assignment): KubeObject;
  /** The write of an assigned Service has ended. */
  release(assigned: KubeObject): void;
}

export interface Assignment {
  readonly service: KubeObject;
  /** Absent: the Service is new. */
  readonly old?: KubeObject | undefined;
  readonly isDryRun: boolean;
}

/** What a write under way will take. */
interface Claim {
  readonly uid: string | undefined;
  readonly items: ReadonlySet<Item>;
}

/**
 * Fills in the cluster address and the node ports of a valid Service that has none. Nothing listens on them: this hub
 * runs no proxies. Source: Kubernetes, registry/core/service.
 */
export function createServiceAddresses({ followServices, random }: ServiceAddressParts): ServiceAddresses {
  const stored = createTakenItems(followServices, itemsOf);
  // Two writes at a time do not see each other in what is stored.
  const claims = new Map<KubeObject, Claim>();
  const isHeld = (uid: string | undefined, item: Item): boolean =>
    stored.isTakenByOther(uid, item) ||
    [...claims.values()].some((claim) => claim.uid !== uid && claim.items.has(item));
  return {
    assign: (assignment) => {
      const { uid } = assignment.service.metadata;
      const assigned = assign(assignment, (item) => isHeld(uid, item));
      if (!assignment.isDryRun) claims.set(assigned, { uid, items: itemsOf(assigned) });
      return assigned;
    },
    release: (assigned) => void claims.delete(assigned),
  };

  function assign({ service, old, isDryRun }: Assignment, isTakenByOther: (item: Item) => boolean): KubeObject {
    const oldSpec = objectAt(old, "spec");
    const refuse = (field: string, value: Json, text: string): never => {
      throw refused(service, invalidField(field, value, text));
    };
    const given = objectAt(service, "spec") ?? {};
    const addressed = needsAddress(given) ? withAddress(given) : given;
    const pool = portPool({
      isTaken: isTakenByOther,
      chooseFree: (isTaken) => chooseNodePort(random, isTaken),
      isDryRun,
    });
    return { ...service, spec: withNodePorts(addressed, oldSpec, pool, refuse) };

    function withAddress(spec: JsonObject): JsonObject {
      const families = withFamilies(spec, oldSpec);
      const address = textAt(spec, "clusterIP") ?? "";
      if (address === "None") return families;
      if (address !== "" && address === textAt(oldSpec, "clusterIP")) return families;
      if (address !== "") {
        const fault = faultOf(plainAddress(address), isTakenByOther, isDryRun);
        if (fault === undefined) return families;
        return refuse(
          "spec.clusterIPs",
          [...textsAt(spec, "clusterIPs")],
          `failed to allocate IP ${address}: ${fault}`,
        );
      }
      // Nothing is chosen in a dry run: this is the address of the network.
      const chosen = isDryRun ? networkAddress : chooseAddress(random, isTakenByOther);
      return { ...families, clusterIP: chosen, clusterIPs: [chosen] };
    }
  }
}

/** Why a Service cannot have an address. A dry run does not check whether another one has it. */
function faultOf(plain: string, isTaken: (plain: string) => boolean, isDryRun: boolean): string | undefined {
  if (isInRange(plain)) return !isDryRun && isTaken(plain) ? "provided IP is already allocated" : undefined;
  if (!isDryRun) return "the provided network does not match the current range";
  return `the provided IP (${plain}) is not in the valid range. The range of valid IPs is ${networkAddress}/16`;
}

function withFamilies(spec: JsonObject, oldSpec: JsonObject | undefined): JsonObject {
  const ipFamilyPolicy = policyOf(spec, oldSpec);
  const asked = textsAt(spec, "ipFamilies");
  const both = isFree(spec) && ipFamilyPolicy !== "SingleStack";
  const first = asked[0] ?? "IPv4";
  const ipFamilies =
    both && asked.length < 2 ? [first, first === "IPv4" ? "IPv6" : "IPv4"] : asked.length > 0 ? [...asked] : [first];
  return { ...spec, ipFamilies, ipFamilyPolicy };
}

function itemsOf(service: KubeObject): ReadonlySet<Item> {
  const addresses = textsAt(service, "spec", "clusterIPs").filter((address) => address !== "None");
  return new Set([...addresses.map(plainAddress), ...nodePortsOf(objectAt(service, "spec"))]);
}

function refused(service: KubeObject, error: FieldError): Error {
  return invalid({ group: "", kind: "Service", name: service.metadata.name }, [error]);
}

/** The first and the last one of the network are no addresses of hosts. */
function isInRange(plain: string): boolean {
  return plain.startsWith(addressRange.prefix) && plain !== networkAddress && plain !== `${addressRange.prefix}255.255`;
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
