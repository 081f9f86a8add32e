import { matchesGlob } from "../core/name-glob.ts";
import type { HubObjectPolicy, Repository } from "../model/generated/repository.ts";

/** What becomes of the changes that people make on the hub. */
export type HubPolicy = HubObjectPolicy["policy"];

/** Kinds whose files belong to the default workspace, wherever the objects are: only an entry that names them is for them. */
const kindsOfDefaultWorkspace = ["MemberCluster", "ManagedCluster"];

/** The policy of a Repository for objects of one kind and workspace: that of the first entry that matches, else Ignore. */
export function hubPolicyOf(
  { onHubObjects = [] }: Pick<Repository["spec"], "onHubObjects">,
  { kind, workspace }: { readonly kind: string; readonly workspace: string },
): { readonly policy: HubPolicy; readonly deletions: HubPolicy } {
  const entry = onHubObjects.find(
    ({ workspaces, kinds }) =>
      (workspaces ?? ["*"]).some((pattern) => matchesGlob(pattern, workspace)) &&
      (kinds === undefined ? !kindsOfDefaultWorkspace.includes(kind) : (kinds as readonly string[]).includes(kind)),
  );
  return { policy: entry?.policy ?? "Ignore", deletions: entry?.deletions ?? "Ignore" };
}

/** Whether any change of a person on the hub may become a change of a file. */
export function hasHubPolicy({ onHubObjects = [] }: Pick<Repository["spec"], "onHubObjects">): boolean {
  return onHubObjects.some(({ policy, deletions = "Ignore" }) => policy !== "Ignore" || deletions !== "Ignore");
}
