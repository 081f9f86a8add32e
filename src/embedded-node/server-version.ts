import { textAt } from "../core/read-json.ts";
import type { KubeApi } from "../kube/kube.ts";

/** The version that the API server names, or `v0.0.0` when it names none. */
export async function serverVersion(api: Pick<KubeApi, "getRaw">): Promise<string> {
  const { text } = await api.getRaw("/version");
  try {
    const answer: unknown = JSON.parse(text);
    return textAt(answer, "gitVersion") ?? "v0.0.0";
  } catch {
    return "v0.0.0"; // Not JSON: a proxy's page. The version is for people only.
  }
}
