import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";
import { startEmbeddedHub } from "../../src/embedded-hub/embedded-hub.ts";
import { realClock, realRandom } from "./real-time.ts";
import { startControlPlane } from "./control-plane.ts";
import { freePort } from "./free-port.ts";
import { sharedControlPlane } from "./shared-control-plane.ts";

/** A hub for a contract suite: nothing of it is known but a kubeconfig of an administrator. */
export interface HubUnderTest {
  readonly kubeconfig: string;
  /** Its process ends, and another one starts on the same address with all that was kept. Absent: others use it too. */
  readonly restart?: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** A kind of hub that a suite starts for itself, and its name in the titles of tests. */
export interface HubPlace {
  readonly name: string;
  readonly start: () => Promise<HubUnderTest>;
}

/** The real control plane of this run (project kube). */
export function realHub(): Promise<HubUnderTest> {
  return Promise.resolve({ kubeconfig: sharedControlPlane().kubeconfig, stop: () => Promise.resolve() });
}

/** A real control plane that no other test uses, so that its API server may be restarted. */
export async function ownRealHub(): Promise<HubUnderTest> {
  const { kubeconfig, killApiServer, startApiServer, stop } = await startControlPlane();
  const restart = async (): Promise<void> => {
    await killApiServer();
    await startApiServer();
  };
  return { kubeconfig, restart, stop };
}

/** An embedded hub of its own, in this process, on an empty folder. */
export async function embeddedHub(clock: Clock = realClock): Promise<HubUnderTest> {
  const dir = await mkdtemp(join(tmpdir(), "rollcall-embedded-hub-"));
  const options = { dir, clock, random: realRandom, log: silentLog, port: await freePort() };
  let hub = await startEmbeddedHub(options);
  return {
    kubeconfig: hub.adminKubeconfig,
    restart: async () => {
      await hub.close();
      hub = await startEmbeddedHub(options);
    },
    stop: async () => {
      await hub.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
