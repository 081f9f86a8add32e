// What a PATCH costs this process, by each transport of the port, beside the library @kubernetes/client-node; the hub is a
// process of its own. Decision 37.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "vitest";
import { createHttpsTransport } from "../../src/kube/https-transport.ts";
import { createKubeApi } from "../../src/kube/kube-api.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { createUndiciTransport } from "../../src/kube/undici-transport.ts";
import { createClientNodeTransport } from "../support/client-node-transport.ts";
import { startHubProcess } from "../support/process-fleet.ts";
import { realClock, realRandom } from "../support/real-time.ts";

const transports = { createUndiciTransport, createHttpsTransport, createClientNodeTransport };
const count = 2000;
const atOnce = 16;

it("prints what a PATCH costs", { timeout: 600_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-bench-"));
  const hub = await startHubProcess(folder);
  try {
    for (const [name, create] of Object.entries(transports)) {
      const transport = create(readKubeconfig(await readFile(hub.kubeconfigPath, "utf8")));
      const api = createKubeApi({ transport, clock: realClock, random: realRandom });
      await patchAll(api, 200);
      const before = process.cpuUsage();
      const beginMs = performance.now();
      await patchAll(api, count);
      const { user, system } = process.cpuUsage(before);
      const perSecond = Math.round((count * 1000) / (performance.now() - beginMs));
      console.log(`${name}: ${((user + system) / 1000 / count).toFixed(2)} ms of CPU each, ${perSecond}/s`);
      await api.close();
    }
  } finally {
    await hub.stop();
    await rm(folder, { recursive: true, force: true });
  }
});

async function patchAll(api: ReturnType<typeof createKubeApi>, times: number): Promise<void> {
  let next = 0;
  const worker = async (index: number): Promise<void> => {
    for (; next < times; next += 1) {
      const metadata = { namespace: "default", name: `patched-${index}` };
      const body = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { turn: String(next) } };
      await api.apply(body, { fieldManager: "bench" });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, index) => worker(index)));
}
