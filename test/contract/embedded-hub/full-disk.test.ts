import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { startEmbeddedHub } from "../../../src/embedded-hub/embedded-hub.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { silentLog } from "../../../src/core/log.ts";
import { makeTempFolder } from "../../support/git-repositories.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { mountSmallDisk } from "../../support/small-disk.ts";
import { until } from "../../support/until.ts";

describe("a hub on a disk that is full", () => {
  it("F30 refuses writes, answers reads, and takes writes again as soon as there is room", async ({ skip }) => {
    const folder = await makeTempFolder();
    onTestFinished(folder.remove);
    const disk = await mountSmallDisk(join(folder.path, "disk"), 16 * 1024);
    if (!disk) return skip("only root may mount a small disk");
    onTestFinished(() => disk.remove());
    const options = { dir: join(disk.path, "hub"), clock: realClock, random: realRandom, log: silentLog };
    const start = (port?: number) => startEmbeddedHub({ ...options, ...(port === undefined ? {} : { port }) });
    let hub = await start();
    const api = apiOf(readKubeconfig(hub.adminKubeconfig));
    onTestFinished(async () => {
      await api.close();
      await hub.close();
    });
    const map = (name: string, text: string) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: "default" },
      data: { text },
    });
    const read = (name: string) => api.get({ type: resourceTypes.configMap, namespace: "default", name });
    await api.create(map("before", "x"), { fieldManager: "test" });
    await disk.fill();
    const failures: string[] = [];
    const accepted: string[] = [];
    for (let index = 0; index < 8; index++) {
      const made = api.create(map(`full-${index}`, "x".repeat(100_000)), { fieldManager: "test" });
      await made.then(
        () => accepted.push(`full-${index}`),
        (error: Error) => failures.push(String(error)),
      );
    }
    expect(failures.length).toBeGreaterThan(0);
    expect((await read("before"))?.["data"]).toEqual({ text: "x" });
    for (const name of accepted) expect(await read(name)).toBeDefined();

    const live = async (): Promise<number> => (await api.getRaw("/livez")).status;
    expect(await live()).toBe(500);
    await disk.free();
    await until(live, (status) => status === 200);
    await api.create(map("after", "x"), { fieldManager: "test" });
    // What was refused is not there, now and after a restart.
    const names = async () =>
      (await api.list(resourceTypes.configMap, { namespace: "default" })).items.map(({ metadata }) => metadata.name);
    const before = await names();
    expect(before).toEqual(expect.arrayContaining([...accepted, "after", "before"]));
    expect(before.filter((name) => name.startsWith("full-"))).toEqual(accepted);
    await hub.close();
    hub = await start(hub.port);
    expect(await names()).toEqual(before);
  });

  it("F30 does not start, and reports the disk and no damage, until there is room", async ({ skip }) => {
    const folder = await makeTempFolder();
    onTestFinished(folder.remove);
    const disk = await mountSmallDisk(join(folder.path, "disk"), 16 * 1024);
    if (!disk) return skip("only root may mount a small disk");
    onTestFinished(() => disk.remove());
    const dir = join(disk.path, "hub");
    const start = () => startEmbeddedHub({ dir, clock: realClock, random: realRandom, log: silentLog });
    await mkdir(join(dir, "store"), { recursive: true });
    await disk.fill();
    await expect(start()).rejects.toMatchObject({
      code: "E_DISK_WRITE",
      message: `open the hub's store in ${join(dir, "store")}: ENOSPC`,
    });
    await disk.free();
    const hub = await start();
    await hub.close();
  });
});
