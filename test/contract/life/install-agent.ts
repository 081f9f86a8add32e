import type { AgentValues } from "../../../src/join/rollcall/agent-values.ts";
import { installationObjects, renderManifest } from "../../../src/join/rollcall/manifests/agent-manifest.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";

/** What `rollcall join` or the chart do in a downstream cluster. */
export async function installAgent(downstreamApi: KubeApi, namespace: string, values: AgentValues): Promise<void> {
  const manifest = renderManifest({ namespace, image: "rollcall:0.1.0", settings: {}, deadlineSeconds: 600 });
  for (const object of installationObjects(manifest, values))
    await downstreamApi.apply(object, { fieldManager: "helm" });
}
