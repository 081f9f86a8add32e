import type { ClusterName } from "./cluster-memory.ts";

/** The cluster that `spec.previousName` means: `[workspace/]name`, by default in the heir's own workspace. */
export function readPreviousName(text: string, workspace: string): ClusterName {
  const slash = text.indexOf("/");
  return slash < 0 ? { workspace, name: text } : { workspace: text.slice(0, slash), name: text.slice(slash + 1) };
}
