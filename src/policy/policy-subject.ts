import type { KubeObject } from "../model/kubernetes.ts";
import type { SourcePosition } from "../model/source.ts";

/** A document that policies are asked about. */
export interface PolicySubject {
  readonly object: KubeObject;
  /** The document of the same name in the last applied commit; absent for a new one. */
  readonly oldObject?: KubeObject;
  readonly position: SourcePosition;
  /** Version of its file: two versions may have a document in one place. Only for who is called with the subject. */
  readonly blobId?: string;
  /** The namespace whose policies apply. Default: that of its metadata. */
  readonly workspace?: string;
}
