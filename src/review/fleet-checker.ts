import { checkFleet } from "../manifests/check-fleet.ts";
import type { WorkspaceRules } from "../manifests/check-workspaces.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { PlanCommitInputs } from "./plan-commit.ts";

/** Brings files together by the rules of a Repository. */
export function fleetChecker(namespace: string, limit?: readonly string[]): PlanCommitInputs["checkFleet"] {
  return (files, repository) => checkFleet(files, workspaceRules(repository, namespace, limit));
}

/** Where a Repository may write. */
export function workspaceRules(
  repository: Repository | undefined,
  daemonNamespace: string,
  limit?: readonly string[],
): WorkspaceRules {
  const { workspaces, defaultWorkspace } = repository?.spec ?? {};
  return {
    daemonNamespace,
    ...(limit ? { limit } : {}),
    ...(workspaces ? { workspaces } : {}),
    ...(defaultWorkspace === undefined ? {} : { defaultWorkspace }),
  };
}
