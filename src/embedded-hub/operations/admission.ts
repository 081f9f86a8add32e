import type { JsonObject } from "../../core/json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ReadObject, UserInfo } from "../auth/auth.ts";
import type { ResourceDefinition } from "./resource-definition.ts";

/** Keys are whole: `pod-security.kubernetes.io/enforce-policy`. */
export type Annotate = (key: string, value: string) => void;

/** A write on its way to the store. Source: Kubernetes, admission.k8s.io AdmissionRequest. */
export interface AdmissionRequest {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly definition: ResourceDefinition;
  /** Undefined for cluster-scoped kinds. */
  readonly namespace?: string;
  /** Empty on create with generateName, and on deletecollection. */
  readonly name: string;
  readonly subresource?: string;
  readonly user: UserInfo;
  /** Absent on DELETE. */
  readonly object?: KubeObject;
  /** Absent on CREATE. */
  readonly oldObject?: KubeObject;
  readonly isDryRun: boolean;
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions. */
  readonly options: JsonObject;
  /** Texts for the Warning header; admission adds to it. */
  readonly warnings: string[];
  /** Adds an annotation to the audit event. Absent where none is written. */
  readonly annotate?: Annotate;
}

/** Called when the write has ended. */
export type SettleCharge = (isStored: boolean) => void;

/** All throw ApiFailure to refuse. */
export interface Admission {
  /** The object to continue with: the same one, or a changed copy. Not called for DELETE. */
  mutate(request: AdmissionRequest & { readonly object: KubeObject }): KubeObject | Promise<KubeObject>;
  /**
   * Fills in values that only the server can choose, without a field manager: called with a valid object, not for
   * subresources or DELETE. Absent: nothing is chosen.
   */
  assign?(
    request: Pick<AdmissionRequest, "definition" | "oldObject" | "isDryRun"> & { readonly object: KubeObject },
  ): KubeObject;
  /** Called with what `assign` made once its write has ended, well or not: until then nothing else gets its values. */
  release?(assigned: KubeObject): void;
  /** Called with the object as it will be stored. */
  validate(request: AdmissionRequest): void | Promise<void>;
  /** Called last before a write, to count what it uses. Absent, or undefined: nothing is counted. */
  charge?(request: AdmissionRequest): Promise<SettleCharge | undefined> | undefined;
  /**
   * Called with a create in the moment that it is stored: what it was admitted by may have been deleted since. `read` finds what
   * is written, durable or not. Absent: nothing is checked again.
   */
  confirm?(request: AdmissionRequest, read: ReadObject): void;
}
