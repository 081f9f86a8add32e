import type { KubeObject } from "../../model/kubernetes.ts";
import type { UserInfo } from "../auth/auth.ts";
import type { FieldError, Schema } from "../schema/schema.ts";

/** A kind as this hub serves it, in one version. Built-in kinds are tables; CRDs make them at run time. */
export interface ResourceDefinition {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly isNamespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly SubresourceDefinition[];
  readonly schema: Schema;
  /** Custom kinds only: the schema as the CRD has it; `schema` adds apiVersion, kind and metadata. */
  readonly structuralSchema?: Schema;
  readonly isCustom: boolean;
  readonly columns: readonly PrinterColumn[];
  readonly storage: StorageDefinition;
  readonly hooks: ResourceHooks;
  /** Its CRD is being deleted: no object can be created any more. */
  readonly isTerminating?: boolean;
  /** A warning for every use of the version, when it is deprecated. */
  readonly deprecationWarning?: string;
}

export interface SubresourceDefinition {
  /** `status`, `scale`, `token`, `log`, ... */
  readonly name: string;
  /** The kind of its objects, when that is not the resource's own. */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
  readonly verbs: readonly string[];
  /** A write of it changes status, as one of `status` does. */
  readonly writesStatus?: boolean;
  /** Of `scale`: where its numbers are in the object, as JSON paths (`.spec.replicas`). */
  readonly scale?: {
    readonly specPath: string;
    readonly statusPath: string;
    /** Of a LabelSelector, or of the text of one. */
    readonly selectorPath?: string;
    /** Of a map of labels that are selected by. */
    readonly labelsPath?: string;
  };
}

/** Where and in which version objects of a kind are kept; the versions of a kind share it. */
export interface StorageDefinition {
  /** `/<group>/<plural>/`: all keys of the kind start with it. */
  readonly prefix: string;
  readonly apiVersion: string;
  /** From the stored form to this version's; absent when only apiVersion differs. */
  readonly toServed?: (object: KubeObject) => KubeObject;
  readonly toStored?: (object: KubeObject) => KubeObject;
  /** Custom kinds only: objects last written before were written under other schemas, and are read by these. */
  readonly current?: {
    /** The revision from which the schemas hold. */
    readonly sinceRevision: number;
    readonly schemas: ReadonlyMap<string, Schema>;
  };
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority: number;
  /** The cell of an object. `nowMs` is for ages. */
  readonly cell: (object: KubeObject, nowMs: number) => string | number | bigint | boolean | null;
}

export interface HookContext {
  /** RFC 3339, in seconds. */
  readonly now: string;
  /** Who writes. */
  readonly user: UserInfo;
  readonly subresource?: string;
  /** Texts for the Warning header. */
  readonly warnings: string[];
}

/** What is special about a kind. Every hook is pure over its arguments; all are optional. */
export interface ResourceHooks {
  /** Normalises and defaults before create, after admission. */
  readonly prepareForCreate?: (object: KubeObject, context: HookContext) => KubeObject;
  /** The same before update; `context.subresource` names the half that is being written. */
  readonly prepareForUpdate?: (object: KubeObject, old: KubeObject, context: HookContext) => KubeObject;
  /** What the schema cannot express. `old` is absent on create. */
  readonly validate?: (object: KubeObject, old: KubeObject | undefined, context: HookContext) => readonly FieldError[];
  /** What takes longer to verify, such as a signature. Its errors come before those of `validate`. */
  readonly verify?: (object: KubeObject, old: KubeObject | undefined) => Promise<readonly FieldError[]>;
  /** What is wrong with the metadata of a new object is reported only when nothing else is wrong. Default false. */
  readonly validatesMetadataLast?: boolean;
  /**
   * Fields that a write of the object (`""`) or of a subresource leaves as they are: its manager does not own them by it.
   * Default: status of the object, and spec of its status.
   */
  readonly keptFields?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** True for kinds whose create may set status (Nodes). Default false: it starts empty. */
  readonly keepsStatusOnCreate?: boolean;
  /** Finalizers need no domain. Default: true for custom kinds, false for built-in ones. */
  readonly takesAnyFinalizer?: boolean;
  /** Which names are allowed; default `subdomain`. */
  readonly nameRule?: "subdomain" | "label" | "path-segment" | "service";
  /**
   * The kind counts metadata.generation: 1 on create, increased by one when this returns true. Absent: built-in kinds
   * do not count; custom kinds count every change outside of metadata.
   */
  readonly raisesGeneration?: (object: KubeObject, old: KubeObject) => boolean;
  /** PUT of an absent name creates it. Default false. */
  readonly canCreateOnUpdate?: boolean;
  /** PUT without resourceVersion overwrites. Default true for built-in kinds, false for custom ones. */
  readonly canUpdateUnconditionally?: boolean;
  /** Fields that field selectors may name besides metadata.name and metadata.namespace, with their values. */
  readonly selectableFields?: Readonly<Record<string, (object: KubeObject) => string>>;
  /** The grace period of a delete in seconds, when the kind has one (Pods). `asked` is what the client wants. */
  readonly gracePeriodSeconds?: (object: KubeObject, asked: number | undefined) => number;
  /** Finalizers that a delete leaves in spec (Namespaces). True: keep the object although metadata has none. */
  readonly isHeld?: (object: KubeObject) => boolean;
  /** Changes made when a delete begins (a Namespace's phase). */
  readonly prepareForDelete?: (object: KubeObject, context: HookContext) => KubeObject;
  /** Objects of the kind own nothing: a delete neither waits for dependents nor leaves them. Default false. */
  readonly isWithoutDependents?: boolean;
  /** What to do with dependents when a delete does not specify it. Default Background. */
  readonly defaultPropagation?: "Background" | "Orphan";
  /** The warning of a delete that does not specify it. */
  readonly undecidedDeleteWarning?: string;
  /** Why the object of this name cannot be deleted, unless as one of a collection. Default: it can. */
  readonly refusesDelete?: (name: string) => string | undefined;
  /** Deleting this kind answers with the object instead of a Status. */
  readonly returnsDeletedObject?: boolean;
}
