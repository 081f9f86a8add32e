import type { ClusterName } from "./member-state.ts";

/** The cluster that `spec.previousName` means: `[workspace/]name`, by default in the successor's own workspace. */
export function readPreviousName(text: string, workspace: string): ClusterName {
  const slash = text.indexOf("/");
  return slash < 0 ? { workspace, name: text } : { workspace: text.slice(0, slash), name: text.slice(slash + 1) };
}
