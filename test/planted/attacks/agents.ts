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
];
