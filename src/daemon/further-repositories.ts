import { join } from "node:path";
import { AppError, describeError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { silentLog } from "../core/log.ts";
import type { GitEngine } from "../git/git.ts";
import { openGitEngine } from "../git/engine/open-git-engine.ts";
import { startKubeCache } from "../kube/kube-cache.ts";
import { WatchFailures } from "../hub/watch-failures.ts";
import type { KubeApi, KubeCache } from "../kube/kube.ts";
import type { Repository } from "../model/generated/repository.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { realClock, realRandom } from "../system/real-clock.ts";
import type { RepositorySource } from "./known-repository.ts";
import { KnownRepository } from "./known-repository.ts";
import { openOrWait, refusingEngine } from "./patient-engine.ts";
import type { RepositoryUnit } from "./repository-unit.ts";
import { accessOfRepository } from "./wire-git.ts";

export interface FurtherRepositoriesOptions {
  readonly hubApi: KubeApi;
  readonly namespace: string;
  /** The Repository that flags make: it is not one of these. */
  readonly except: string;
  /** Folder for copies, one folder below it for each. */
  readonly cacheDir: string;
  /** Default `auto`. */
  readonly backend?: "auto" | "native";
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Makes room on the hub's view for what a new one may write to. */
  readonly prepare: () => Promise<void>;
  /** Gets the objects as they are now, by name: also those of the start, before their units begin. */
  readonly objects: Map<string, KnownRepository>;
  /**
   * Called when another writer changed spec or annotations of one, or made or deleted one, after the start: `objects` has it
   * already.
   */
  readonly onChange: () => void;
  readonly startUnit: (
    name: string,
    parts: { readonly source: RepositorySource; readonly git: GitEngine },
  ) => RepositoryUnit;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export interface FurtherRepositories {
  units(): ReadonlyMap<string, RepositoryUnit>;
  /** Resolves when what the last news asked for has been done. */
  whenIdle(): Promise<void>;
  stop(): Promise<void>;
}

interface Running {
  readonly url: string;
  readonly unit: RepositoryUnit;
  readonly stop: () => Promise<void>;
}

/**
 * Keeps one unit for every Repository object of a namespace: started when the object is created, stopped when it is
 * deleted (its objects on the hub stay), restarted when its address changes. An object that names a folder or http is
 * refused: those are for flags alone.
 */
export async function followFurtherRepositories(options: FurtherRepositoriesOptions): Promise<FurtherRepositories> {
  const { hubApi, namespace, except, objects, log, signal } = options;
  const type = resourceTypes.repository;
  const running = new Map<string, Running>();
  let serial = Promise.resolve();

  const takeUp = (name: string, isNews: boolean): void => {
    if (isNews && cache.isSynced) options.onChange();
    serial = serial.then(() => follow(name));
  };
  const cache: KubeCache = startKubeCache(
    hubApi,
    type,
    new WatchFailures(log, realClock, silentLog).loggedOptions(type, {
      namespace,
      onChange: ({ ref: { name }, object }) => {
        if (name === except) return;
        const known = objects.get(name) ?? new KnownRepository();
        objects.set(name, known);
        takeUp(name, known.see(object as Repository | undefined));
      },
      onListing: () => {
        const listings = [...objects].map(([name, known]) => [name, known.beginListing()] as const);
        return () => {
          for (const [name, settle] of listings)
            takeUp(name, settle(cache.get(namespace, name) as Repository | undefined));
        };
      },
    }),
    { clock: realClock, random: realRandom, signal },
  );
  await cache.whenSynced(signal);
  await serial;

  async function follow(name: string): Promise<void> {
    const known = objects.get(name);
    const url = known?.read()?.spec.url;
    const before = running.get(name);
    if (before !== undefined && before.url === url) return;
    running.delete(name);
    await before?.stop().catch((error: unknown) => {
      log.error("ending a repository failed", { repository: name, error });
    });
    // Not earlier: where the object comes back before its unit ends, the unit works with what is known here.
    if (known?.read() === undefined) objects.delete(name);
    if (known === undefined || url === undefined || signal.aborted) return;
    try {
      running.set(name, await begin(options, { name, url, source: known.open() }));
    } catch (error) {
      if (!signal.aborted) log.error("following a repository failed", { repository: name, error });
    }
  }

  return {
    units: () => new Map([...running].map(([name, { unit }]) => [name, unit])),
    whenIdle: () => serial,
    stop: async () => {
      await cache.stop();
      await serial;
      await Promise.all([...running.values()].map(({ stop }) => stop()));
    },
  };
}

interface Address {
  readonly name: string;
  readonly url: string;
  readonly source: RepositorySource;
}

async function begin(options: FurtherRepositoriesOptions, address: Address): Promise<Running> {
  const { name, url, source } = address;
  let git: GitEngine | undefined;
  const close = async (): Promise<void> => {
    await source.stop();
    await git?.close();
  };
  try {
    git = await openEngine(options, address);
    await options.prepare();
    const unit = options.startUnit(name, { source, git });
    const stop = async () => {
      try {
        await unit.stop();
      } finally {
        await close();
      }
    };
    return { url, unit, stop };
  } catch (error) {
    await close();
    throw error;
  }
}

/** An address that is refused is reported like one that cannot be read: in the conditions of the Repository. */
async function openEngine(
  { hubApi, cacheDir, backend = "auto", environment, log }: FurtherRepositoriesOptions,
  { name, url, source }: Address,
): Promise<GitEngine> {
  const open = (): Promise<GitEngine> =>
    openGitEngine({
      url,
      cacheDir: join(cacheDir, "repositories", name),
      backend,
      ...accessOfRepository({ hubApi, url, repository: () => source.read(), environment }),
      clock: realClock,
      random: realRandom,
    });
  try {
    return await openOrWait(url, open, log.with({ repository: name }));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn("a repository cannot be opened", { repository: name, error: describeError(error) });
    return refusingEngine(url, error);
  }
}
