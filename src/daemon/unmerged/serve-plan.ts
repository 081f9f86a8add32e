import type { DeclaredFleet } from "../../model/declared-fleet.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../../model/kubernetes.ts";
import type { Plan } from "../../model/plan.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import type { DecryptFile } from "../../review/decrypt-secrets.ts";
import type { MergeInputs, PlannedMerge } from "../../review/plan-merge.ts";
import type { SentError } from "./plan-calls.ts";
import { pieceSize } from "./plan-calls.ts";
import type { MainFile } from "./plan-worker.ts";
import { receivedError } from "./sent-error.ts";

/** What the main thread does for a plan in a thread, by the name of the call. */
export type PlanService = Readonly<Record<string, (...args: never[]) => unknown>>;

/** Serves the plan of one branch; `settle` gets what was planned, or why it was not. */
export function servePlan(
  inputs: MergeInputs,
  settle: { readonly resolve: (merge: PlannedMerge) => void; readonly reject: (error: Error) => void },
): PlanService {
  const { git, observed, main } = inputs;
  const lists = new Map<ResourceType, readonly KubeObject[]>();
  const paths = [...new Set([...main.files.keys(), ...main.parsed.keys(), ...main.lastGood.keys()])];
  const parts = { plan: new Map<string, unknown>(), fleet: new Map<string, unknown>() };
  let decrypt: DecryptFile | undefined;
  return {
    readCommit: (id: string) => git.readCommit(id),
    readSignature: (id: string) => git.readSignature(id),
    isAncestor: (ancestor: string, descendant: string) => git.isAncestor(ancestor, descendant),
    listCommits: (options: Parameters<typeof git.listCommits>[0]) => git.listCommits(options),
    listFiles: (commitId: string, only?: readonly string[]) => git.listFiles(commitId, only),
    changedPaths: (from: string | undefined, to: string, only?: readonly string[]) => git.changedPaths(from, to, only),
    readBlob: (blobId: string, options?: { readonly maximumBytes?: number }) => git.readBlob(blobId, options),
    mainFiles: (start: number) =>
      paths
        .slice(start, start + pieceSize)
        .map((path): MainFile => [path, main.files.get(path), main.parsed.get(path), main.lastGood.get(path)]),
    list: (start: number, sent: ResourceType) => {
      const type = ownType(sent);
      const items = lists.get(type) ?? observed.list(type);
      lists.set(type, items);
      return items.slice(start, start + pieceSize);
    },
    isWorkspace: (namespace: string) => observed.isWorkspace(namespace),
    rememberedLabels: (workspace: string, name: string) => inputs.rememberedLabels(workspace, name),
    evaluate: (range: { readonly base?: string; readonly head: string }) => inputs.evaluate?.(range),
    isSigned: (commit: string, tip: string) => inputs.isSigned?.(commit, tip) ?? true,
    isVouched: (commit: string, path: string) => inputs.source.isVouched?.(commit, path) ?? true,
    openKeys: async () => {
      decrypt = await inputs.openKeys?.();
    },
    decrypt: (file: Parameters<DecryptFile>[0]) => decrypt?.(file),
    field: (part: keyof typeof parts, key: string, value: unknown) => void parts[part].set(key, value),
    items: (part: keyof typeof parts, key: string, items: readonly unknown[]) => {
      const known = parts[part].get(key);
      const list: unknown[] = Array.isArray(known) ? known : [];
      for (const item of items) list.push(withOwnType(item));
      parts[part].set(key, list);
    },
    done: (rest: Omit<PlannedMerge, "plan" | "fleet">) => {
      const plan: unknown = Object.fromEntries(parts.plan);
      const fleet: unknown = Object.fromEntries(parts.fleet);
      settle.resolve({ ...rest, plan: plan as Plan, fleet: fleet as DeclaredFleet });
    },
    failed: (error: SentError) => settle.reject(receivedError(error)),
  };
}

const typesByName = new Map(Object.values(resourceTypes).map((type) => [nameOf(type), type]));

function nameOf({ group, version, plural }: ResourceType): string {
  return `${group}/${version}/${plural}`;
}

/** Types are compared by identity, which a copy does not have. */
function ownType(type: ResourceType): ResourceType {
  return typesByName.get(nameOf(type)) ?? type;
}

function withOwnType(item: unknown): unknown {
  if (typeof item !== "object" || item === null || !("ref" in item)) return item;
  const ref = item.ref as ObjectRef;
  return { ...item, ref: { ...ref, type: ownType(ref.type) } };
}
