/** Files of a fleet with 20 rules and 50 groups, by path. */
export function scaleFleet(clusterCount: number): Record<string, string> {
  const files: Record<string, string> = {};
  for (let index = 0; index < clusterCount; index++) files[clusterPath(index)] = clusterText(index, "first");
  for (let index = 0; index < 20; index++)
    files[`rules/r${index}.yaml`] = selecting(
      "ClusterLabels",
      `r${index}`,
      `region: r${index}`,
      ", labels: { tier: t }",
    );
  for (let index = 0; index < 50; index++)
    files[`groups/g${index}.yaml`] = selecting("ClusterGroup", `g${index}`, `part: p${index}`);
  return files;
}

/** The file of one cluster with another label, for each round another cluster. */
export function oneLabel(clusterCount: number, round: number): Record<string, string> {
  const index = (round * 7919) % clusterCount;
  return { [clusterPath(index)]: clusterText(index, `r${round}`) };
}

/** The path of one cluster's file. */
export function clusterPath(index: number): string {
  return `clusters/${Math.floor(index / 100)}/c${index}.yaml`;
}

/** The file of one cluster, with a label `value`. */
export function clusterText(index: number, value: string): string {
  return [
    "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster",
    `metadata: { name: c${index}, labels: { value: ${value}, region: r${index % 40}, part: p${index % 50} } }`,
    `spec: { displayName: Cluster ${index} }\n`,
  ].join("\n");
}

/** The file of a rule or a group. `labels` and `more` are of a flow mapping. */
export function selecting(kind: string, name: string, labels: string, more = ""): string {
  const spec = `{ selector: { matchLabels: { ${labels} } }${more} }`;
  return `apiVersion: rollcall.dev/v1alpha1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n`;
}
