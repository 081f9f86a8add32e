import type { KubeObject } from "../../model/kubernetes.ts";

// What a write of one part of an object leaves of its metadata. Source: Kubernetes, meta/v1 ResetObjectMetaForStatus.

/** The metadata as it was, with the version that the writer knows and the managers of what it wrote. */
export function keepMetadata({ metadata }: KubeObject, old: KubeObject): KubeObject["metadata"] {
  const { resourceVersion, managedFields } = metadata;
  const { resourceVersion: _version, managedFields: _managers, ...kept } = old.metadata;
  return {
    ...kept,
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(managedFields === undefined ? {} : { managedFields }),
  };
}

/** The metadata that was written, with the labels as they were. */
export function keepLabels({ metadata }: KubeObject, old: KubeObject): KubeObject["metadata"] {
  const { labels: _, ...written } = metadata;
  const { labels } = old.metadata;
  return labels === undefined ? written : { ...written, labels };
}
