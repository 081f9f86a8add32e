import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";
import { startEmbeddedHub } from "../../src/embedded-hub/embedded-hub.ts";
import { realClock, realRandom } from "./real-time.ts";
import { sharedControlPlane } from "./shared-control-plane.ts";

/** A hub for a contract suite: nothing of it is known but a kubeconfig of an administrator. */
export interface HubUnderTest {
  readonly kubeconfig: string;
  readonly stop: () => Promise<void>;
}

/** The real control plane of this run (project kube). */
export function realHub(): Promise<HubUnderTest> {
  return Promise.resolve({ kubeconfig: sharedControlPlane().kubeconfig, stop: () => Promise.resolve() });
}

/** An embedded hub of its own, in this process, on an empty folder. */
export async function embeddedHub(clock: Clock = realClock): Promise<HubUnderTest> {
  const dir = await mkdtemp(join(tmpdir(), "rollcall-embedded-hub-"));
  const hub = await startEmbeddedHub({ dir, clock, random: realRandom, log: silentLog });
  return {
    kubeconfig: hub.adminKubeconfig,
    stop: async () => {
      await hub.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
