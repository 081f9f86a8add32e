import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import { textAt } from "../core/read-json.ts";
import type { PodSpec } from "./pod-spec.ts";
import type { PodTokens } from "./service-account-tokens.ts";
import { volumeContent } from "./volume-files.ts";
import type { VolumeContext } from "./volume-files.ts";
import { writeVolume } from "./write-volume.ts";

/** How often ConfigMaps and Secrets in volumes are read again, as kubelets' sync period. */
const refreshMs = 60_000;
/** Between two refreshes; after failures it is longer. */
const shortestWaitMs = 1000;

/** A volume that could not be set up; the message is the kubelet's. */
export interface MountFailure {
  readonly volume: string;
  readonly message: string;
}

export interface PodVolumes {
  /** The folder of a volume on the host. */
  folderOf(volume: string): string;
  /** Writes all volumes. Returns what failed; call again then. */
  mount(): Promise<readonly MountFailure[]>;
  /**
   * Keeps tokens and live volumes fresh until the signal is aborted. A failure is reported and tried again: after two
   * seconds, and each time after twice as long, up to a minute.
   */
  keepFresh(signal: AbortSignal, onFailure: (failure: MountFailure) => void): Promise<void>;
}

export interface PodVolumesOptions {
  readonly spec: PodSpec;
  /** The Pod's own folder. */
  readonly folder: string;
  readonly context: () => VolumeContext;
  readonly tokens: PodTokens;
  readonly clock: Clock;
}

/** The volumes of a Pod as folders below its own, readable by this user alone. */
export function createPodVolumes({ spec, folder, context, tokens, clock }: PodVolumesOptions): PodVolumes {
  const folderOf = (volume: string) => join(folder, "volumes", volume);

  const write = async (isRefresh: boolean): Promise<readonly MountFailure[]> => {
    const failures: MountFailure[] = [];
    for (const volume of spec.volumes) {
      const name = textAt(volume, "name") ?? "";
      try {
        const content = volumeContent(volume, context());
        if (content.kind === "files") await writeVolume(folderOf(name), await content.read());
        else if (!isRefresh) await makeEmpty(folderOf(name));
      } catch (error) {
        const reason = error instanceof Error ? error.message : describeError(error);
        failures.push({ volume: name, message: `MountVolume.SetUp failed for volume "${name}" : ${reason}` });
      }
    }
    return failures;
  };

  const hasLiveVolume = spec.volumes.some((volume) => {
    try {
      const content = volumeContent(volume, context());
      return content.kind === "files" && content.isLive;
    } catch {
      return false; // Not supported: mount reports it.
    }
  });

  return {
    folderOf,
    mount: () => write(false),
    keepFresh: async (signal, onFailure) => {
      let shortestMs = shortestWaitMs;
      for (;;) {
        const tokenWaitMs = tokens.renewAtMs === undefined ? Infinity : tokens.renewAtMs - clock.nowMs();
        const waitMs = Math.min(tokenWaitMs, hasLiveVolume ? refreshMs : Infinity);
        if (waitMs === Infinity || signal.aborted) return;
        const isOver = await clock.sleep(Math.max(waitMs, shortestMs), signal).then(
          () => false,
          () => true, // aborted: the Pod ends
        );
        if (isOver) return;
        const failures = await write(true);
        for (const failure of failures) onFailure(failure);
        shortestMs = failures.length === 0 ? shortestWaitMs : Math.min(2 * shortestMs, refreshMs);
      }
    },
  };
}

async function makeEmpty(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
}
