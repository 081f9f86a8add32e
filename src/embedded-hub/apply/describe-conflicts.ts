import type { ManagerFields } from "./managed-fields.ts";
import { managerKey } from "./managed-fields.ts";
import type { Path } from "./path-element.ts";
import { compareText } from "../schema/compare-text.ts";
import { describePath } from "./path-element.ts";
import type { Conflict } from "./update-managers.ts";

/** One cause of a 409. Source: Kubernetes API, meta/v1 StatusCause. */
export interface ConflictCause {
  readonly reason: "FieldManagerConflict";
  readonly message: string;
  readonly field: string;
}

/** The Status of a conflict. */
export function describeConflicts(conflicts: readonly Conflict[]): {
  readonly message: string;
  readonly causes: readonly ConflictCause[];
} {
  const causes = conflicts.map(({ owner, path }): ConflictCause => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${describeOwner(owner)}`,
    field: describePath(path),
  }));
  const [first] = conflicts;
  if (conflicts.length === 1 && first !== undefined) {
    const text = `conflict with ${describeOwner(first.owner)}: ${describePath(first.path)}`;
    return { message: `Apply failed with 1 conflict: ${text}`, causes };
  }
  const byOwner = new Map<string, { owner: ManagerFields; paths: Path[] }>();
  for (const { owner, path } of conflicts) {
    const key = managerKey(owner);
    const group = byOwner.get(key) ?? { owner, paths: [] };
    group.paths.push(path);
    byOwner.set(key, group);
  }
  const lines = [...byOwner]
    .sort(([, a], [, b]) => compareText(identify(a.owner), identify(b.owner)))
    .flatMap(([, { owner, paths }]) => [
      `conflicts with ${describeOwner(owner)}:`,
      ...paths.map((path) => `- ${describePath(path)}`),
    ]);
  return { message: `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`, causes };
}

/** The text by which an API server knows and sorts managers: JSON without what is empty. */
function identify({ manager, operation, apiVersion, subresource }: ManagerFields): string {
  return JSON.stringify({
    ...(manager === "" ? {} : { manager }),
    operation,
    ...(operation === "Apply" ? {} : { apiVersion }),
    ...(subresource === "" ? {} : { subresource }),
  });
}

function describeOwner({ manager, operation, apiVersion, subresource }: ManagerFields): string {
  const name = JSON.stringify(manager) + (subresource === "" ? "" : ` with subresource ${JSON.stringify(subresource)}`);
  return operation === "Update" ? `${name} using ${apiVersion}` : name;
}
