/**
 * Orders versions as Kubernetes prefers them: v2 before v1 before v1beta2 before v1alpha1; others last, by name.
 * Source: Kubernetes, apimachinery version.CompareKubeAwareVersionStrings.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [rankOf(a), rankOf(b)];
  if (left === undefined || right === undefined) {
    if (left === right) return a < b ? -1 : a > b ? 1 : 0;
    return left === undefined ? 1 : -1;
  }
  return right[0] - left[0] || right[1] - left[1] || right[2] - left[2];
}

function rankOf(version: string): readonly [number, number, number] | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/u.exec(version);
  if (match === null) return undefined;
  const stage = match[2] === undefined ? 3 : match[2] === "beta" ? 2 : 1;
  return [stage, Number(match[1]), Number(match[3] ?? 0)];
}
