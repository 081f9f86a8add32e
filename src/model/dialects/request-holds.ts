/**
 * A validation of what an agent asks with: no finalizer and no owner. The hub deletes requests and may not change those of
 * other projects, so one with a finalizer would stay for ever, in any number.
 */
export const withoutHolds = {
  expression: ["finalizers", "ownerReferences"]
    .map((list) => `(!has(object.metadata.${list}) || object.metadata.${list}.size() == 0)`)
    .join(" && "),
  message: "a request may have no finalizers and no owners",
  reason: "Forbidden",
};
