import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { nodePortsOf, portPool, withNodePorts } from "../../../../src/embedded-hub/admission/service-ports.ts";

interface Case {
  readonly reason: string;
  readonly spec: JsonObject;
  readonly oldSpec?: JsonObject;
  readonly isDryRun?: boolean;
  readonly ports: readonly number[] | string;
}

function port(number: number, nodePort?: number, protocol = "TCP"): JsonObject {
  return { port: number, protocol, ...(nodePort === undefined ? {} : { nodePort }) };
}

function nodes(...ports: readonly JsonObject[]): JsonObject {
  return { type: "NodePort", ports };
}

function balancer(spec: JsonObject, ...ports: readonly JsonObject[]): JsonObject {
  return { type: "LoadBalancer", externalTrafficPolicy: "Local", ports, ...spec };
}

/** 30005 is taken; free ones are chosen from 31000 on. */
function given({ spec, oldSpec, isDryRun = false }: Case): readonly number[] | string {
  const chooseFree = (isTaken: (port: number) => boolean): number => {
    let chosen = 31_000;
    while (isTaken(chosen)) chosen += 1;
    return chosen;
  };
  const pool = portPool({ isTaken: (one) => one === 30_005, chooseFree, isDryRun });
  const refuse = (field: string, value: Json, text: string): never => {
    throw new Error(`${field} ${JSON.stringify(value)} ${text}`);
  };
  try {
    return nodePortsOf(withNodePorts(spec, oldSpec, pool, refuse));
  } catch (error) {
    return (error as Error).message;
  }
}

const outside = "provided port is not in the valid range. The range of valid ports is 30000-32767";
const taken = "provided port is already allocated";

describe("withNodePorts", () => {
  it.each<Case>([
    { reason: "each port gets one", spec: nodes(port(80), port(81)), ports: [31_000, 31_001] },
    {
      reason: "two protocols of a port share one",
      spec: nodes(port(53), port(53, undefined, "UDP")),
      ports: [31_000, 31_000],
    },
    { reason: "with the later one's", spec: nodes(port(53), port(53, 30_001, "UDP")), ports: [30_001, 30_001] },
    {
      reason: "two ports do not",
      spec: nodes(port(80, 30_001), port(81, 30_001, "UDP")),
      ports: `spec.ports[1].nodePort 30001 ${taken}`,
    },
    { reason: "another Service has it", spec: nodes(port(80, 30_005)), ports: `spec.ports[0].nodePort 30005 ${taken}` },
    { reason: "out of the range", spec: nodes(port(80, 80)), ports: `spec.ports[0].nodePort 80 ${outside}` },
    { reason: "a dry run has no range", spec: nodes(port(80, 80)), isDryRun: true, ports: [80] },
    {
      reason: "but others",
      spec: nodes(port(80, 30_005)),
      isDryRun: true,
      ports: `spec.ports[0].nodePort 30005 ${taken}`,
    },
    { reason: "a dry run chooses none", spec: nodes(port(80), port(81)), isDryRun: true, ports: [32_769, 32_770] },
    { reason: "none without nodes", spec: { type: "ClusterIP", ports: [port(80)] }, ports: [] },
    {
      reason: "a changed Service keeps its own",
      spec: nodes(port(80, 30_005), port(81)),
      oldSpec: nodes(port(80, 30_005)),
      ports: [30_005, 31_000],
    },
    {
      reason: "a balancer that needs none",
      spec: balancer({ allocateLoadBalancerNodePorts: false, externalTrafficPolicy: "Cluster" }, port(80)),
      ports: [],
    },
    {
      reason: "but asks for one",
      spec: balancer({ allocateLoadBalancerNodePorts: false, externalTrafficPolicy: "Cluster" }, port(80, 80)),
      ports: `spec.ports[0].nodePort 80 ${outside}`,
    },
    { reason: "one for health checks", spec: balancer({}, port(80)), ports: [31_000, 31_001] },
    { reason: "the one asked for", spec: balancer({ healthCheckNodePort: 30_002 }, port(80)), ports: [31_000, 30_002] },
    {
      reason: "which is taken",
      spec: balancer({ healthCheckNodePort: 30_005 }, port(80)),
      ports: `Internal error occurred: failed to allocate requested HealthCheck NodePort 30005: ${taken}`,
    },
    {
      reason: "or is there",
      spec: balancer({ healthCheckNodePort: 30_005 }, port(80, 30_006)),
      oldSpec: balancer({ healthCheckNodePort: 30_005 }, port(80, 30_006)),
      ports: [30_006, 30_005],
    },
  ])("gives the ports of nodes: $reason", (one) => {
    expect(given(one)).toEqual(one.ports);
  });
});

it("reads each port a few times, however many there are", () => {
  let reads = 0;
  const ports = Array.from({ length: 1000 }, (_, index) => ({
    get port(): number {
      reads++;
      return index + 1;
    },
  }));
  const pool = portPool({ isTaken: () => false, chooseFree: () => 30_000, isDryRun: true });
  const refuse = (): never => {
    throw new Error("refused");
  };
  const { ports: assigned } = withNodePorts({ type: "NodePort", ports }, undefined, pool, refuse);
  expect(assigned).toHaveLength(1000);
  expect(reads).toBeLessThan(6 * ports.length);
});
