import { readPreviousName } from "../model/previous-name.ts";

/** The key of the predecessor that a Cluster names. */
export function predecessorKey(object: Readonly<Record<string, unknown>>, workspace: string): string[] {
  const { kind, spec } = object;
  const previous = typeof spec === "object" && spec !== null && "previousName" in spec ? spec.previousName : undefined;
  if (kind !== "Cluster" || typeof previous !== "string") return [];
  const former = readPreviousName(previous, workspace);
  return [`Cluster/${former.workspace}/${former.name}`];
}
