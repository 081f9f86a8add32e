/** Faults of a client for which kube-apiserver too answers 500, with messages that begin so. */
const messages = [
  "failed to create typed patch object (",
  "resourceVersion should not be set on objects to be created",
  '"resourceVersion: Invalid value: ',
  "Internal error occurred: requested [{",
  "Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'",
];

/** True for the body of a 500, in JSON or protobuf, that kube-apiserver gives for the same request. */
export function isKubernetesOwn500(body: string): boolean {
  return messages.some((start) => body.includes(start));
}
