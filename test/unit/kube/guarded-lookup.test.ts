import { afterEach, describe, expect, it } from "vitest";
import { isThisMachine } from "../../../src/http/local-address.ts";
import { fixedConnection } from "../../../src/kube/connection.ts";
import { guardedLookup } from "../../../src/kube/guarded-lookup.ts";
import { createOpenSocket } from "../../../src/kube/open-socket.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { startScriptedProxy, startTcpServer } from "./scripted-server.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** What a kubeconfig has of its own for names. */
function lookupsOfKubeconfig() {
  const text = JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:6443" } }],
    users: [{ name: "u", user: { token: "t" } }],
  });
  return readKubeconfig(text).lookups;
}

describe("guardedLookup", () => {
  it("A197 asks no proxy whose name leads to this machine, whatever the name is", async () => {
    const proxy = await startScriptedProxy({ refuseWith: 407 });
    stops.push(proxy.stop);
    const proxyUrl = proxy.url.replace("127.0.0.1", "localhost");
    const connection = fixedConnection({ server: "https://api.example:6443", proxyUrl });
    const lookups = lookupsOfKubeconfig();
    await expect(createOpenSocket({ ...connection, lookups })()).rejects.toMatchObject({
      code: "E_KUBECONFIG",
      message:
        "the kubeconfig cannot be used: its proxy-url points at this machine or link: use a proxy that others reach by the same address",
    });
    expect(proxy.asked).toEqual([]);
  });

  it("connects to a server whose name leads to this machine, as the demo's clusters", async () => {
    const server = await startTcpServer((socket) => socket.destroy());
    stops.push(server.stop);
    const connection = fixedConnection({ server: `https://localhost:${server.port}` });
    const open = createOpenSocket({ ...connection, lookups: lookupsOfKubeconfig() });
    await expect(open()).rejects.toMatchObject({ code: "E_KUBE_UNREACHABLE" });
  });

  it.each([true, false])("refuses no other name, and reports one that is unknown (all addresses: %s)", async (all) => {
    const found = (host: string, isRefused: (address: string) => boolean): Promise<unknown> =>
      new Promise((resolve) => {
        const lookup = guardedLookup(isRefused, "no");
        lookup(host, { all }, (error, address) => resolve(error?.code ?? typeof [address].flat()[0]));
      });
    expect(await found("localhost", () => false)).toBe(all ? "object" : "string");
    expect(await found("localhost", isThisMachine)).toBe("E_KUBECONFIG");
    expect(await found("nothing.invalid", () => true)).toMatch(/^(?:ENOTFOUND|EAI_AGAIN)$/u);
  });
});
