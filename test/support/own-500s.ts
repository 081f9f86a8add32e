/** Faults of a client for which kube-apiserver too answers 500, with such messages. */
const messages = [
  "failed to create typed patch object (",
  "failed to convert new object (",
  "resourceVersion should not be set on objects to be created",
  "resourceVersion: Invalid value: ",
  "Internal error occurred: requested [{",
  "Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'",
  "unsupported role reference kind: ",
  // Of a strategic merge.
  " does not contain declared merge key: ",
  "unknown patch type: ",
  "list element types are not identical: ",
  "unable to find api field in struct ",
  "cannot merge lists without merge key for struct",
  "no elements in any of the given slices",
  "merging lists cannot yet be specified in the patch",
  ", but received a ",
];

/** True for the body of a 500, in JSON or protobuf, that kube-apiserver gives for the same request. */
export function isKubernetesOwn500(body: string): boolean {
  return messages.some((start) => body.includes(start));
}
