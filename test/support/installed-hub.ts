import { apiOf } from "../../src/daemon/connect-hub.ts";
import { installCrds } from "../../src/install/install-crds.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { embeddedHub } from "./hub-under-test.ts";

export interface InstalledHub {
  readonly api: KubeApi;
  stop(): Promise<void>;
}

/** An embedded hub with our definitions and this namespace, without a daemon. */
export async function startInstalledHub(namespace: string): Promise<InstalledHub> {
  const hub = await embeddedHub();
  const api = apiOf(readKubeconfig(hub.kubeconfig));
  await installCrds(api, new AbortController().signal);
  await api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }, { fieldManager: "test" });
  return {
    api,
    stop: async () => {
      await api.close();
      await hub.stop();
    },
  };
}
