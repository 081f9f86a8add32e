import type { FaultRow } from "../attack-faults.ts";

/** Faults in what an agent takes from its hub. */
export const agentFaults: readonly FaultRow[] = [
  {
    number: "A145",
    name: "the bounds of a period that the hub names",
    test: "unit/agent/send-heartbeats.test.ts",
    file: "src/agent/send-heartbeats.ts",
    from: "periodSeconds >= 1 && periodSeconds <= 3600 ? periodSeconds * 1000 : undefined",
    to: "periodSeconds * 1000",
  },
  {
    number: "A145",
    name: "the shortest life of a credential",
    test: "unit/agent/credentials.test.ts",
    file: "src/join/rollcall/downstream/membership.ts",
    from: "Math.max(shortestLifeMs, ",
    to: "Math.max(0, ",
  },
  {
    number: "A146",
    name: "the level of the agent's namespace",
    test: "contract/agent/agent-pods.test.ts",
    file: "src/join/rollcall/manifests/agent-manifest.ts",
    from: '"pod-security.kubernetes.io/enforce": "restricted"',
    to: '"pod-security.kubernetes.io/warn": "restricted"',
  },
  {
    number: "A162",
    name: "the hub's namespace of a Fleet cluster",
    test: "contract/fleet/embedded.test.ts",
    file: "src/model/dialects/fleet-hub-objects.ts",
    from: '(${namespaceIn("object")}) == (${namespaceIn("oldObject")})',
    to: '(${namespaceIn("object")}) == (${namespaceIn("object")})',
    story: "A162|gives a token's values under its own name",
  },
  {
    number: "A162",
    name: "the other fields beside a heartbeat of Fleet",
    test: "unit/join/fleet/facts.test.ts",
    file: "src/join/fleet/hub/facts.ts",
    from: "return isJsonEqual(withoutTime(before), withoutTime(object));",
    to: "return true;",
  },
  {
    number: "A162",
    name: "the labels beside a heartbeat of KubeFleet",
    test: "unit/join/kubefleet/hub/mirror.test.ts",
    file: "src/join/kubefleet/hub/mirror.ts",
    from: "if (!isJsonEqual(before.metadata.labels, object.metadata.labels)) return false;",
    to: "",
  },
];
