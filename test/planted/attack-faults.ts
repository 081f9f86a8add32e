import { agentFaults } from "./attacks/agents.ts";
import { filesFaults } from "./attacks/files.ts";
import { forgeFaults } from "./attacks/forge.ts";
import { gitFaults } from "./attacks/git.ts";
import { gitObjectFaults } from "./attacks/git-objects.ts";
import { httpFaults } from "./attacks/http.ts";
import { hubFaults } from "./attacks/hub.ts";
import { hubObjectFaults } from "./attacks/hub-objects.ts";
import { joinFaults } from "./attacks/join.ts";
import { kubeFaults } from "./attacks/kube.ts";
import { memberFaults } from "./attacks/members.ts";
import { pageFaults } from "./attacks/page.ts";
import { planFaults } from "./attacks/plans.ts";
import { ruleFaults } from "./attacks/rules.ts";
import { runFaults } from "./attacks/run.ts";
import { signatureFaults } from "./attacks/signatures.ts";
import { webFaults } from "./attacks/web.ts";
import type { PlantedFault } from "./faults.ts";

/** A mechanism of docs/security.md that is taken away; a test of its number notices. */
export interface FaultRow extends PlantedFault {
  /** The row of docs/security.md. */
  readonly number: string;
  /** A test file of that row, below test/. */
  readonly test: string;
  /** Titles (a regular expression) that are run where the tests build on each other. Default: those of the number. */
  readonly story?: string;
}

export const attackFaults: readonly FaultRow[] = [
  ...agentFaults,
  ...filesFaults,
  ...forgeFaults,
  ...gitFaults,
  ...gitObjectFaults,
  ...httpFaults,
  ...hubFaults,
  ...hubObjectFaults,
  ...joinFaults,
  ...kubeFaults,
  ...memberFaults,
  ...pageFaults,
  ...planFaults,
  ...ruleFaults,
  ...runFaults,
  ...signatureFaults,
  ...webFaults,
];
