import type { KubeObject } from "./kubernetes.ts";

/** What a person did to an object on the hub, as a change of one file. */
export interface HubChange {
  /** The object; of a deleted one, what it was. */
  readonly live: KubeObject;
  /** `Cluster/fleet/eu-1`, as messages call the object. */
  readonly object: string;
  readonly workspace: string;
  readonly policy: "Propose" | "Commit";
  /** The field managers that wrote it; none for a deletion, which has no field manager. */
  readonly managers: readonly string[];
  /** The users who may have done it, as far as the API server records them; `?` represents users without a name. */
  readonly users: readonly string[];
  /** Whether the hub has reverted some of it already, so that it wrote after the person. Default false. */
  readonly isReverted?: boolean;
  readonly path: string;
  readonly file:
    | { readonly kind: "Create"; readonly text: string }
    | { readonly kind: "Edit"; readonly index: number; readonly edits: readonly FieldEdit[] }
    | { readonly kind: "Delete"; readonly index: number };
}

/** One value of a document; undefined takes the field out. */
export interface FieldEdit {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** What a person did on the hub and no change of a file can declare, with the reason and the remedy. */
export interface RefusedHubChange {
  readonly live: KubeObject;
  readonly message: string;
}
