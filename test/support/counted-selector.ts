import type { ClusterSelector } from "../../src/model/generated/cluster-selector.ts";

/** The selector, which calls `onRead` each time that its parts are read: a comparison with a cluster reads them once. */
export function countedSelector(
  { names, matchLabels, matchExpressions }: ClusterSelector,
  onRead: () => void,
): ClusterSelector {
  return {
    get names() {
      onRead();
      return names;
    },
    ...(matchLabels && { matchLabels }),
    ...(matchExpressions && { matchExpressions }),
  };
}
