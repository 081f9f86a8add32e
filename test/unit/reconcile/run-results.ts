import { AppError } from "../../../src/core/errors.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { HeldDelete, Plan, WithheldRemoval } from "../../../src/model/plan.ts";
import type { Problem } from "../../../src/model/problem.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { computeRepositoryStatus } from "../../../src/reconcile/repository-status.ts";
import type { RunResult } from "../../../src/reconcile/run-result.ts";
import { planOfNothing, repository } from "./phase-builders.ts";

export const commit = "c".repeat(40);
export const plan: Plan = { ...planOfNothing, commit };
export const refused = new AppError("E_KUBE_FORBIDDEN", "no right");
export const verifying: Repository["spec"] = { ...repository.spec, verify: { keysSecretRef: { name: "signers" } } };

export function withheld(name: string, because: WithheldRemoval["because"], file?: string): WithheldRemoval {
  return { kind: "leave", cluster: `fleet/${name}`, reason: "gone", because, ...(file === undefined ? {} : { file }) };
}

export function held(name: string, because: HeldDelete["because"], file?: string): HeldDelete {
  const ref = { type: resourceTypes.clusterRegistrationToken, namespace: "fleet", name };
  return { ref, because, reason: "gone", ...(file === undefined ? {} : { file }) };
}

export function problem(file: string, severity: Problem["severity"]): Problem {
  return { code: "E_YAML", severity, file, line: 3, column: 5, message: "no map" };
}

/** Repository.status after a run with this result. */
export function statusOf(result: Partial<RunResult>, changed: Partial<Repository> = {}) {
  return computeRepositoryStatus({ ...repository, ...changed }, { outcomes: [], ...result }, 0);
}
