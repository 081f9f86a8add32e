import type { ManagerFields } from "./managed-fields.ts";
import { managerKey } from "./managed-fields.ts";
import { compareText } from "../schema/compare-text.ts";
import { describePath } from "./path-element.ts";
import type { Conflict } from "./update-managers.ts";

/** One cause of a 409. Source: Kubernetes API, meta/v1 StatusCause. */
export interface ConflictCause {
  readonly reason: "FieldManagerConflict";
  readonly message: string;
  readonly field: string;
}

/** An answer that names each of 20,000 conflicts would be as long as twenty objects; keys of lists may be long texts. */
const mostConflicts = 1_000;
const mostPathCharacters = 1024 * 1024;

/** The Status of a conflict. Names the first 1,000 conflicts, fewer with long paths; kube-apiserver names all. */
export function describeConflicts(conflicts: readonly Conflict[]): {
  readonly message: string;
  readonly causes: readonly ConflictCause[];
} {
  const named = namedOf(conflicts);
  const causes = named.map(({ owner, text }): ConflictCause => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${describeOwner(owner)}`,
    field: text,
  }));
  const [first] = named;
  if (conflicts.length === 1 && first !== undefined) {
    const text = `conflict with ${describeOwner(first.owner)}: ${first.text}`;
    return { message: `Apply failed with 1 conflict: ${text}`, causes };
  }
  const byOwner = new Map<string, { owner: ManagerFields; texts: string[] }>();
  for (const { owner, text } of named) {
    const key = managerKey(owner);
    const group = byOwner.get(key) ?? { owner, texts: [] };
    group.texts.push(text);
    byOwner.set(key, group);
  }
  const lines = [...byOwner]
    .sort(([, a], [, b]) => compareText(identify(a.owner), identify(b.owner)))
    .flatMap(([, { owner, texts }]) => [
      `conflicts with ${describeOwner(owner)}:`,
      ...texts.map((text) => `- ${text}`),
    ]);
  if (named.length < conflicts.length) lines.push(`and ${conflicts.length - named.length} more conflicts`);
  return { message: `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`, causes };
}

interface NamedConflict {
  readonly owner: ManagerFields;
  readonly text: string;
}

function namedOf(conflicts: readonly Conflict[]): readonly NamedConflict[] {
  const named: NamedConflict[] = [];
  let characters = 0;
  for (const { owner, path } of conflicts.slice(0, mostConflicts)) {
    const text = describePath(path);
    named.push({ owner, text });
    characters += text.length;
    if (characters > mostPathCharacters) break;
  }
  return named;
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
