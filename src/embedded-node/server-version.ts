import { textAt } from "../core/read-json.ts";
import { parseJson } from "../core/parse-json.ts";
import type { KubeApi } from "../kube/kube.ts";

/** The version that the API server names, or `v0.0.0` when it names none. */
export async function serverVersion(api: Pick<KubeApi, "getRaw">): Promise<string> {
  const { text } = await api.getRaw("/version");
  // A proxy's page has none; the version is only shown.
  return textAt(parseJson(text), "gitVersion") ?? "v0.0.0";
}
