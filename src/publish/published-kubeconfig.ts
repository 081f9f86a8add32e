import type { ClusterAccess } from "../model/inline-kubeconfig.ts";
import { inlineKubeconfig } from "../model/inline-kubeconfig.ts";

/**
 * A kubeconfig of what was read of one, and of nothing else. Parsers differ, such as in merge keys of YAML and in entries
 * that no context names: the text itself may hold a program or a file for its reader that this program did not see.
 */
export function publishedKubeconfig(access: ClusterAccess): string {
  return `${JSON.stringify(inlineKubeconfig(access, { cluster: "cluster", user: "cluster" }), undefined, 2)}\n`;
}
