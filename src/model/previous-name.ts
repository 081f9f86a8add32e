import type { ClusterName } from "./member-state.ts";

/** The cluster that `spec.previousName` means: `[workspace/]name`, by default in the successor's own workspace. */
export function readPreviousName(text: string, workspace: string): ClusterName {
  const slash = text.indexOf("/");
  return slash < 0 ? { workspace, name: text } : { workspace: text.slice(0, slash), name: text.slice(slash + 1) };
}

export function isSameCluster(one: ClusterName | undefined, other: ClusterName): boolean {
  return one?.workspace === other.workspace && one.name === other.name;
}

/** What a Cluster and its state record of the one whose place it takes. */
export interface Succession {
  readonly workspace: string;
  readonly previousName?: string | undefined;
  readonly movedFrom?: ClusterName | undefined;
}

/** Whether a Cluster is to take the place of `predecessor`, or has taken it: by its own fields, whatever the other one has. */
export function isSuccessorOf({ workspace, previousName, movedFrom }: Succession, predecessor: ClusterName): boolean {
  const named = previousName === undefined ? undefined : readPreviousName(previousName, workspace);
  return isSameCluster(named, predecessor) || isSameCluster(movedFrom, predecessor);
}
