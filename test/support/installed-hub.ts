import { apiOf } from "../../src/daemon/connect-hub.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { readyHub } from "./hub-under-test.ts";

export interface InstalledHub {
  readonly api: KubeApi;
  stop(): Promise<void>;
}

/** An embedded hub with our definitions and this namespace, without a daemon. */
export async function startInstalledHub(namespace: string): Promise<InstalledHub> {
  const hub = await readyHub();
  const api = apiOf(readKubeconfig(hub.kubeconfig));
  await api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }, { fieldManager: "test" });
  return {
    api,
    stop: async () => {
      await api.close();
      await hub.stop();
    },
  };
}
