import type { FaultRow } from "../attack-faults.ts";

/** Mechanisms of the controllers of members and of the decisions on requests to join. */
export const memberFaults: readonly FaultRow[] = [
  {
    number: "A282",
    name: "the proof that a cluster of another workspace is the successor of a lost one",
    test: "unit/hub/state-without-cluster.test.ts",
    file: "src/hub/state-without-cluster.ts",
    from: "if (found.workspace === workspace || isNamed)",
    to: "if (isNamed || true)",
  },
];
