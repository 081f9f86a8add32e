import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "../../../src/core/log.ts";
import { startEmbeddedHub } from "../../../src/embedded-hub/embedded-hub.ts";
import { realClock, realRandom } from "../../../src/system/real-clock.ts";
import type { RestorableHub } from "./lost-objects-suite.ts";
import { describeLostObjects } from "./lost-objects-suite.ts";

describeLostObjects("the embedded hub", async (): Promise<RestorableHub> => {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-restored-hub-"));
  const [dir, copy] = [join(folder, "hub"), join(folder, "copy")];
  const options = { dir, clock: realClock, random: realRandom, log: silentLog };
  let hub = await startEmbeddedHub(options);
  const startAgain = async (meanwhile: () => Promise<void>): Promise<void> => {
    const { port } = hub;
    await hub.close();
    await meanwhile();
    hub = await startEmbeddedHub({ ...options, port });
  };
  return {
    kubeconfig: hub.adminKubeconfig,
    keepCopy: () => startAgain(() => cp(dir, copy, { recursive: true })),
    restoreCopy: () =>
      startAgain(async () => {
        await rm(dir, { recursive: true });
        await cp(copy, dir, { recursive: true });
      }),
    stop: async () => {
      await hub.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
});
