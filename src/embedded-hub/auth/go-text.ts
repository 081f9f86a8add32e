// Texts as the Go programs print them that clients know: kube-apiserver's messages are looked at by people and scripts.

/** A list of texts as %q prints it. */
export function quoteList(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(" ")}]`;
}

/** Several errors in one text; a single one stands alone. Source: apimachinery, util/errors Aggregate. */
export function aggregate(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? (distinct[0] ?? "") : `[${distinct.join(", ")}]`;
}
