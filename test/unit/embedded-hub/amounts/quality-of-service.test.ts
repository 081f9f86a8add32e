import { expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { qosClassOf } from "../../../../src/embedded-hub/amounts/quality-of-service.ts";

interface Case {
  readonly reason: string;
  readonly containers: readonly JsonObject[];
  /** Of the Pod itself. */
  readonly resources?: JsonObject;
  readonly qosClass: string;
}

const whole = { cpu: "1", memory: "1Gi" };
const two = { cpu: "2", memory: "2Gi" };

it.each<Case>([
  { reason: "asks for nothing", containers: [{}, {}], qosClass: "BestEffort" },
  { reason: "asks for disks only", containers: [{ requests: { "ephemeral-storage": "1Gi" } }], qosClass: "BestEffort" },
  { reason: "has what it is limited to", containers: [{ requests: whole, limits: whole }], qosClass: "Guaranteed" },
  {
    reason: "has it in other words",
    containers: [{ requests: { cpu: "1000m", memory: "1024Mi" }, limits: whole }],
    qosClass: "Guaranteed",
  },
  { reason: "has one container without", containers: [{ requests: whole, limits: whole }, {}], qosClass: "Burstable" },
  {
    reason: "asks as a whole for its limits",
    containers: [
      { requests: whole, limits: two },
      { requests: two, limits: whole },
    ],
    qosClass: "Guaranteed",
  },
  {
    reason: "has amounts of its own",
    containers: [{}],
    resources: { requests: whole, limits: whole },
    qosClass: "Guaranteed",
  },
  {
    reason: "asks for less than its containers",
    containers: [{ requests: whole, limits: whole }],
    resources: { requests: whole, limits: two },
    qosClass: "Burstable",
  },
  {
    reason: "has no limits of its own",
    containers: [{ requests: whole, limits: whole }],
    resources: { requests: whole },
    qosClass: "Burstable",
  },
  {
    reason: "has empty amounts of its own",
    containers: [{ requests: whole, limits: whole }],
    resources: {},
    qosClass: "BestEffort",
  },
])("a Pod that $reason is $qosClass", ({ containers, resources, qosClass }) => {
  const spec = {
    containers: containers.map((one, index) => ({ name: `c${index}`, resources: one })),
    ...(resources === undefined ? {} : { resources }),
  };
  expect(qosClassOf({ apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec })).toBe(qosClass);
});
