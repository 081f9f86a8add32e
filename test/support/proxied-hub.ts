import { writeFile } from "node:fs/promises";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { daemonAccount } from "./audited-hub.ts";
import type { FaultyProxy } from "./faulty-proxy.ts";
import { startFaultyProxy } from "./faulty-proxy.ts";
import type { HubUnderTest } from "./hub-under-test.ts";
import { embeddedHub } from "./hub-under-test.ts";

/** An embedded hub behind a proxy that can refuse requests, or go away. */
export interface ProxiedHub {
  /** Past the proxy. */
  readonly api: KubeApi;
  readonly proxy: FaultyProxy;
  /** Ends the proxy, and puts another one in its place. */
  readonly renewProxy: () => Promise<void>;
  /** By the proxy, for an account with all rights. */
  readonly kubeconfigPath: string;
  readonly stop: () => Promise<void>;
}

/** `started`: default an empty one. It is stopped with the proxy. */
export async function startProxiedHub(kubeconfigPath: string, started?: HubUnderTest): Promise<ProxiedHub> {
  const hub = started ?? (await embeddedHub());
  const api = apiOf(readKubeconfig(hub.kubeconfig));
  const account = await daemonAccount(hub.kubeconfig);
  const connection = readKubeconfig(account);
  const caPem = (await connection.getTls()).caPem ?? "";
  const encode = (text: string): string => Buffer.from(text).toString("base64");
  const openProxy = async (): Promise<FaultyProxy> => {
    const opened = await startFaultyProxy({ server: connection.server, caPem });
    const text = account.replace(connection.server, opened.server).replace(encode(caPem), encode(opened.caPem));
    await writeFile(kubeconfigPath, text, { mode: 0o600 });
    return opened;
  };
  let proxy = await openProxy();
  return {
    api,
    get proxy() {
      return proxy;
    },
    renewProxy: async () => {
      await proxy.close();
      proxy = await openProxy();
    },
    kubeconfigPath,
    stop: async () => {
      await proxy.close();
      await api.close();
      await hub.stop();
    },
  };
}
