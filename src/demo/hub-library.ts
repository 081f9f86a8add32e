import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "../core/log.ts";
import { startEmbeddedHub } from "../embedded-hub/embedded-hub.ts";
import { realClock, realRandom } from "../system/real-clock.ts";

/** `bin/embedded-hub.d.ts` declares this file to users of the package. */
export interface StartHubOptions {
  /** Holds everything the hub keeps. Default: a temporary folder, which `close` removes. */
  readonly dir?: string;
  /** Default 0: the system chooses. */
  readonly port?: number;
  /** Names and addresses, besides localhost and 127.0.0.1, that clients dial. Default: none. */
  readonly hosts?: readonly string[];
}

export interface RunningHub {
  /** `https://127.0.0.1:port` */
  readonly url: string;
  readonly port: number;
  /** YAML with everything inline; its user is a member of system:masters. */
  readonly kubeconfig: string;
  /** Resolves when no controller has work to do now. */
  whenIdle(): Promise<void>;
  /** Ends the hub. */
  close(): Promise<void>;
}

/** Starts the embedded hub in this process, for tests of others. Throws E_DIR_LOCKED or E_STORE_DAMAGED. */
export async function startHub({ dir, port = 0, hosts = [] }: StartHubOptions = {}): Promise<RunningHub> {
  const folder = dir ?? (await mkdtemp(join(tmpdir(), "rollcall-hub-")));
  const remove = async (): Promise<void> => {
    if (dir === undefined) await rm(folder, { recursive: true, force: true });
  };
  try {
    const hub = await startEmbeddedHub({
      dir: folder,
      port,
      hosts,
      clock: realClock,
      random: realRandom,
      log: silentLog,
    });
    const close = async (): Promise<void> => {
      await hub.close();
      await remove();
    };
    return { url: hub.url, port: hub.port, kubeconfig: hub.adminKubeconfig, whenIdle: () => hub.whenIdle(), close };
  } catch (error) {
    await remove();
    throw error;
  }
}
