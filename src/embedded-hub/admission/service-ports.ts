import type { Json, JsonObject } from "../../core/json.ts";
import { numberAt, objectsAt, textAt } from "../../core/read-json.ts";
import { internalError } from "../failures/failures.ts";
import { needsHealthCheck, needsNodePorts } from "../validation/validate-service.ts";

// Source of this file: Kubernetes, registry/core/service initNodePorts, updateNodePorts and allocHealthCheckNodePort.

export const nodePortRange = { first: 30_000, last: 32_767 } as const;

/** The node ports of the hub while one Service gets its own. */
export interface PortPool {
  /** Takes a port that was asked for, or gives the reason why it cannot. */
  readonly take: (port: number) => string | undefined;
  readonly takeNext: () => number;
}

/**
 * The pool of one write. A dry run takes nothing: it checks no range, and shows ports that no Service gets. So does
 * kube-apiserver.
 */
export function portPool(options: {
  readonly isTaken: (port: number) => boolean;
  readonly chooseFree: (isTaken: (port: number) => boolean) => number;
  readonly isDryRun: boolean;
}): PortPool {
  const own = new Set<number>();
  let highest: number | undefined;
  const add = (port: number): void => {
    own.add(port);
    highest = Math.max(port, highest ?? port);
  };
  const isTaken = (port: number): boolean => own.has(port) || options.isTaken(port);
  const { first, last } = nodePortRange;
  return {
    take: (port) => {
      if (!options.isDryRun && (port < first || port > last)) {
        return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
      }
      if (isTaken(port)) return "provided port is already allocated";
      add(port);
      return undefined;
    },
    takeNext: () => {
      const port = options.isDryRun ? (highest ?? last + 1) + 1 : options.chooseFree(isTaken);
      add(port);
      return port;
    },
  };
}

type Refuse = (field: string, value: Json, text: string) => never;

/** All ports of nodes that a Service has. */
export function nodePortsOf(spec: JsonObject | undefined): readonly number[] {
  const ports = objectsAt(spec, "ports").map((port) => numberAt(port, "nodePort") ?? 0);
  return [...ports, numberAt(spec, "healthCheckNodePort") ?? 0].filter((port) => port !== 0);
}

/** The spec with its node ports. `refuse` throws. */
export function withNodePorts(
  spec: JsonObject,
  oldSpec: JsonObject | undefined,
  pool: PortPool,
  refuse: Refuse,
): JsonObject {
  const isOpen = ["NodePort", "LoadBalancer"].includes(textAt(spec, "type") ?? "");
  const change = { spec, oldSpec, pool, refuse };
  const ports = isOpen && spec["ports"] !== undefined ? { ports: portsOf(change) } : {};
  return withHealthPort({ ...spec, ...ports }, oldSpec, pool);
}

interface Change {
  readonly spec: JsonObject;
  readonly oldSpec: JsonObject | undefined;
  readonly pool: PortPool;
  readonly refuse: Refuse;
}

/** Of a new Service, the ports of one number share a node port. */
function portsOf({ spec, oldSpec, pool, refuse }: Change): readonly JsonObject[] {
  const ports = objectsAt(spec, "ports");
  const kept = new Set(nodePortsOf(oldSpec));
  const shared = new Map<number, number>();
  /** By port, the node port that the first one with this number and a node port asks for. */
  const askedFor = new Map<number, number>();
  for (const port of ports) {
    const [number, nodePort] = [numberAt(port, "port") ?? 0, numberAt(port, "nodePort") ?? 0];
    if (nodePort !== 0 && !askedFor.has(number)) askedFor.set(number, nodePort);
  }
  return ports.map((port, index): JsonObject => {
    const number = numberAt(port, "port") ?? 0;
    const given = numberAt(port, "nodePort") ?? 0;
    if (given === 0 && !needsNodePorts(spec)) return port;
    const known = oldSpec === undefined ? shared.get(number) : undefined;
    const asked = given !== 0 || oldSpec !== undefined ? given : (askedFor.get(number) ?? 0);
    const nodePort = asked === 0 ? (known ?? pool.takeNext()) : asked;
    if (asked !== 0 && asked !== known && !kept.has(asked)) {
      const fault = pool.take(asked);
      if (fault !== undefined) return refuse(`spec.ports[${index}].nodePort`, asked, fault);
      // A changed Service may name it again for another protocol.
      if (oldSpec !== undefined) kept.add(asked);
    }
    if (known === undefined) shared.set(number, nodePort);
    return { ...port, nodePort };
  });
}

/** Load balancers ask there whether a node has Pods of the Service. */
function withHealthPort(spec: JsonObject, oldSpec: JsonObject | undefined, pool: PortPool): JsonObject {
  if (!needsHealthCheck(spec) || (oldSpec !== undefined && needsHealthCheck(oldSpec))) return spec;
  const asked = numberAt(spec, "healthCheckNodePort") ?? 0;
  if (asked === 0) return { ...spec, healthCheckNodePort: pool.takeNext() };
  const fault = pool.take(asked);
  if (fault === undefined) return spec;
  throw internalError(`failed to allocate requested HealthCheck NodePort ${asked}: ${fault}`);
}
