// operations: what the HTTP layer and the hub's own controllers ask of the hub; one verb a file in ../verbs.
import type { Json } from "../../core/json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { UserInfo } from "../auth/auth.ts";
import type { Annotate } from "./admission.ts";
import type { ResourceDefinition } from "./resource-definition.ts";

export interface OperationContext {
  readonly user: UserInfo;
  readonly fieldManager: string;
  readonly isDryRun: boolean;
  readonly fieldValidation: "Strict" | "Warn" | "Ignore";
  /** Texts for the Warning header; operations add to it. */
  readonly warnings: string[];
  /** Adds an annotation to the audit event. Absent where none is written. */
  readonly annotate?: Annotate;
  /**
   * What decoding the body already found (`duplicate field "data.a"`): joins the strict decoding errors. Absent for
   * callers inside the process.
   */
  readonly decodingProblems?: readonly string[];
  /** Where they and other fields are in the body: all problems are reported in its order. Absent: these come first. */
  readonly problemPlaces?: ProblemPlaces;
  /** Numbers of the body that are written in another way than their value is (`spec.replicas` -> `1.0`). */
  readonly numberLiterals?: ReadonlyMap<string, string>;
  /** Managed fields stay as they are, as where kube-apiserver writes to its storage itself. Default false. */
  readonly isUntracked?: boolean;
  /** A delete of a collection: admission sees no name, as kube-apiserver evaluates all of it with the same request. */
  readonly isOfCollection?: boolean;
}

/** Positions in the text of a body. */
export interface ProblemPlaces {
  /** One for each decoding problem. */
  readonly ofProblems: readonly number[];
  /** Of the field with this path. */
  readonly ofField: (path: string) => number;
}

export interface Target {
  readonly definition: ResourceDefinition;
  /** Undefined for cluster-scoped kinds and for lists over all namespaces. */
  readonly namespace?: string;
  readonly name: string;
  readonly subresource?: string;
}

/** An object as one version of its kind shows it. */
export interface ServedObject {
  /** Frozen, with metadata.resourceVersion. */
  readonly object: KubeObject;
  /** Its JSON text in UTF-8; made once per revision and shared by all readers. */
  readonly json: Uint8Array;
}

export interface ListResult {
  readonly items: readonly KubeObject[];
  readonly revision: number;
}

export interface ListPage {
  readonly items: readonly ServedObject[];
  readonly revision: number;
  /** Opaque; set when more follow. */
  readonly continueToken?: string;
  /** Unknown when a selector filters. */
  readonly remainingCount?: number;
}

export interface Selection {
  /** Undefined: all namespaces. */
  readonly namespace?: string;
  /** The only name that `matches` lets through, where there is one: others need not be read. */
  readonly name?: string;
  /** True for objects to show; undefined shows all. */
  readonly matches?: (object: KubeObject) => boolean;
  /** False only for the JSON text of an object that `matches` is false for: it decides before the text is parsed. */
  readonly mayMatch?: (json: Buffer) => boolean;
}

export interface PageQuery extends Selection {
  /** Absent or 0: everything. */
  readonly limit?: number;
  readonly continueToken?: string;
  /** As the client sent it: absent, `0`, or a revision. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
}

export interface CollectionDelete {
  readonly query: PageQuery;
  readonly options: DeleteBody;
  /** For the hub's own controllers: clients name the namespace that they empty. */
  readonly inAllNamespaces?: boolean;
}

export interface ServedEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly served: ServedObject;
  readonly revision: number;
}

/**
 * The hub's verbs with everything but authentication and RBAC on the way: admission, defaulting, validation, managed
 * fields, finalizers, durability. They throw ApiFailure (../failures) with the Status that a client gets.
 * Controllers call them as `system:` users; objects that come back are frozen.
 */
export interface Operations {
  /** The definition now served for a kind (the preferred version, when none is named), or undefined. */
  definitionOf(group: string, plural: string, version?: string): ResourceDefinition | undefined;
  /** The same by apiVersion and kind, as objects and owner references name it. */
  definitionOfKind(apiVersion: string, kind: string): ResourceDefinition | undefined;
  definitions(): readonly ResourceDefinition[];
  get(target: Target): KubeObject | undefined;
  list(target: Omit<Target, "name">): ListResult;
  /** Live events of a kind, in order, from `afterRevision`; returns the function that ends it. */
  observe(
    definition: ResourceDefinition,
    afterRevision: number,
    listener: (event: { readonly kind: "added" | "modified" | "deleted"; readonly object: KubeObject }) => void,
  ): () => void;
  /** `name` only for subresources that are created (`token`, `eviction`, ...). */
  create(
    context: OperationContext,
    target: Omit<Target, "name"> & { readonly name?: string },
    object: KubeObject,
  ): Promise<KubeObject>;
  update(context: OperationContext, target: Target, object: KubeObject): Promise<KubeObject>;
  patch(context: OperationContext, target: Target, patch: PatchBody): Promise<KubeObject>;
  /** Update or patch for HTTP: reports whether the object was created, and asks first whether it may be. */
  write(context: OperationContext, target: Target, write: ClientWrite): Promise<Written>;
  /** The object as it was last; while finalizers or a grace period keep it, `isGone` is false. */
  delete(context: OperationContext, target: Target, options: DeleteBody): Promise<Deleted>;
  /** Deletes each object of the selection by itself; the answer is what was selected. Throws 400 without a namespace. */
  deleteCollection(
    context: OperationContext,
    target: Omit<Target, "name">,
    request: CollectionDelete,
  ): Promise<ListPage>;
  readServed(target: Target): ServedObject | undefined;
  /** Resolves when the revision is there; throws 504 when it does not come within 3 s. */
  whenReached(revision: number | bigint): Promise<void>;
  readPage(definition: ResourceDefinition, query: PageQuery): Promise<ListPage>;
  /** All of a selection as it is now, without waiting for a revision: how a watch begins. */
  currentState(definition: ResourceDefinition, selection: Selection): Promise<ListPage>;
  /**
   * Events of a selection after `afterRevision`: an object that starts or stops to match is ADDED or DELETED.
   * Throws 410 Expired when the revision is compacted. `onProgress` is not part of it: ask `revision`.
   */
  watch(
    definition: ResourceDefinition,
    request: Selection & { readonly afterRevision: number },
    listener: (event: ServedEvent) => void,
  ): () => void;
  /**
   * Those of the past among the next `limit` events; of a selection by name, among those of its object. Returns the revision
   * up to which they were reported. Throws as `watch` does.
   */
  replay(
    definition: ResourceDefinition,
    request: Selection & { readonly afterRevision: number; readonly limit: number },
    listener: (event: ServedEvent) => void,
  ): number;
  /**
   * Calls once when the definition is no longer served as it is: its CRD changed or was deleted. Returns the function that ends
   * the wait.
   */
  whenReplaced(definition: ResourceDefinition, listener: () => void): () => void;
  /** The newest durable revision. */
  revision(): number;
}

export interface Deleted {
  readonly object: KubeObject;
  readonly isGone: boolean;
}

export interface ClientWrite {
  readonly content: { readonly kind: "update"; readonly object: KubeObject } | PatchBody;
  /** Called before an absent object is created; throws 403. */
  readonly authorizeCreate: () => void;
}

export interface Written {
  readonly object: KubeObject;
  readonly isCreated: boolean;
}

export type PatchBody =
  | { readonly kind: "json"; readonly operations: Json }
  | { readonly kind: "merge"; readonly patch: Json }
  | { readonly kind: "strategic"; readonly patch: Json }
  | { readonly kind: "apply"; readonly object: KubeObject; readonly isForced: boolean };

export interface DeleteBody {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan";
  /** The old form of Orphan or Background. */
  readonly orphanDependents?: boolean;
  readonly gracePeriodSeconds?: number;
}

/** Answers a kind or subresource that stores nothing: reviews, tokens, evictions. */
export type Answer = (
  context: OperationContext,
  target: Omit<Target, "name"> & { readonly name?: string },
  object: KubeObject,
) => Promise<KubeObject>;
