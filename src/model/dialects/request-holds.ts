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

/** Entries that labels and annotations of what an agent asks with may have, and characters of an annotation. */
const most = { entries: 64, text: 1024 };

/**
 * A validation of what an agent asks with: an API server itself bounds neither the number of labels nor the size of a field that
 * a definition of another project leaves open, so a request could have 1.5 MiB, and a token's holder makes any number of them.
 */
export const withinBounds = {
  expression: [
    ...["labels", "annotations"].map(
      (map) => `(!has(object.metadata.${map}) || object.metadata.${map}.size() <= ${most.entries})`,
    ),
    "(!has(object.metadata.annotations) || object.metadata.annotations.all(key, " +
      `object.metadata.annotations[key].size() <= ${most.text}))`,
    "(!has(object.spec) || !has(object.spec.clusterLabels) || object.spec.clusterLabels.size() <= 256)",
  ].join(" && "),
  message: `a request may have ${most.entries} labels, ${most.entries} annotations of ${most.text} characters, and 256 labels of its cluster`,
  reason: "Forbidden",
};
