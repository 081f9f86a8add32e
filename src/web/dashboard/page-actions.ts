import type { ActionName, ActionRight } from "../../model/generated/page-api.ts";

/** The object of an action. Undefined: the Repository that the page shows. */
export type ActionTarget = { readonly workspace: string; readonly name: string } | undefined;

/** An action, with all that it needs. */
export type PageAction =
  | { readonly action: "Reconcile" | "SuspendRepository" | "ResumeRepository" }
  | { readonly action: "ApproveRemovals"; readonly commit: string; readonly count: number }
  | {
      readonly action: "SuspendCluster" | "ResumeCluster" | "RevokeCluster";
      readonly target: NonNullable<ActionTarget>;
    };

/** Who acts, and by which credential: never the daemon's. */
export interface Actor {
  readonly user: string;
  readonly token: string;
}

/** What the page does on the hub for a viewer, with the viewer's own credential. */
export interface PageActions {
  /** Which actions on this object the hub lets the viewer do. @throws E_KUBE_* */
  rights(actor: Actor, target: ActionTarget): Promise<readonly ActionRight[]>;
  /** @returns what the command prints. @throws E_KUBE_*, E_APPROVAL, E_USAGE */
  perform(actor: Actor, action: PageAction): Promise<string>;
}

export const repositoryActions = ["Reconcile", "SuspendRepository", "ResumeRepository", "ApproveRemovals"] as const;
export const clusterActions = ["SuspendCluster", "ResumeCluster", "RevokeCluster"] as const;

/** The action that a body asks for; undefined when it is none, or lacks what the action needs. */
export function readAction(body: Readonly<Record<string, unknown>>): PageAction | undefined {
  const { action, workspace, name, commit, count } = body;
  switch (action as ActionName) {
    case "Reconcile":
    case "SuspendRepository":
    case "ResumeRepository":
      return { action: action as "Reconcile" | "SuspendRepository" | "ResumeRepository" };
    case "ApproveRemovals":
      if (typeof commit !== "string" || !/^[0-9a-f]{7,64}$/u.test(commit)) return undefined;
      if (typeof count !== "number" || !Number.isInteger(count) || count < 0 || count > 999_999) return undefined;
      return { action: "ApproveRemovals", commit, count };
    case "SuspendCluster":
    case "ResumeCluster":
    case "RevokeCluster":
      if (typeof workspace !== "string" || typeof name !== "string") return undefined;
      return { action: action as (typeof clusterActions)[number], target: { workspace, name } };
    default:
      return undefined;
  }
}
