import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { Log, LogFields } from "../../../src/core/log.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { FurtherRepositoriesOptions } from "../../../src/daemon/further-repositories.ts";
import { followFurtherRepositories } from "../../../src/daemon/further-repositories.ts";
import type { KnownRepository, RepositorySource } from "../../../src/daemon/known-repository.ts";
import type { RepositoryUnit } from "../../../src/daemon/repository-unit.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import { lockFolder } from "../../../src/git/local/folder-lock.ts";
import type { KubeApi, ListOptions, WatchEvent, WatchOptions } from "../../../src/kube/kube.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { whenAborted } from "../../../src/system/when-aborted.ts";
import { realRandom } from "../../support/real-time.ts";
import { makeTempFolder } from "../../support/git-repositories.ts";
import { until } from "../../support/until.ts";
import { ScriptedHub } from "../kube/scripted-hub.ts";

let folder: Awaited<ReturnType<typeof makeTempFolder>>;
beforeAll(async () => void (folder = await makeTempFolder()));
afterAll(() => folder.remove());

const first = "https://git.example.com/first.git";
const second = "https://git.example.com/second.git";

function repository(name: string, url: string, version: number): KubeObject {
  const resourceVersion = String(version);
  const metadata = { name, namespace: "rollcall", uid: name, resourceVersion, generation: version };
  return { apiVersion: "rollcall.dev/v1alpha1", kind: "Repository", metadata, spec: { url } };
}

/** A hub whose Repository objects the test changes. */
class Repositories {
  readonly #objects = new Map<string, KubeObject>();
  readonly #watchers = new Set<(event: WatchEvent) => void>();
  #version = 1;

  set(name: string, url: string): void {
    const object = repository(name, url, ++this.#version);
    const kind = this.#objects.has(name) ? "modified" : "added";
    this.#objects.set(name, object);
    for (const tell of this.#watchers) tell({ kind, object });
  }

  delete(name: string): void {
    const object = this.#objects.get(name);
    this.#objects.delete(name);
    const metadata = { ...object?.metadata, name, resourceVersion: String(++this.#version) };
    for (const tell of this.#watchers) tell({ kind: "deleted", object: { ...object, metadata } as KubeObject });
  }

  get api(): KubeApi {
    return {
      list: async (_: unknown, { fieldSelector }: ListOptions = {}) => ({
        items: [...this.#objects.values()].filter(
          ({ metadata }) => fieldSelector === undefined || fieldSelector === `metadata.name=${metadata.name}`,
        ),
        resourceVersion: String(this.#version),
      }),
      watch: (_: unknown, options: WatchOptions) => this.#watch(options),
    } as unknown as KubeApi;
  }

  async *#watch({ signal, onOpen, fieldSelector }: WatchOptions): AsyncGenerator<WatchEvent> {
    const queue: WatchEvent[] = [];
    let wake: () => void = () => undefined;
    const tell = (event: WatchEvent): void => {
      if (event.kind === "bookmark") return;
      if (fieldSelector !== undefined && fieldSelector !== `metadata.name=${event.object.metadata.name}`) return;
      queue.push(event);
      wake();
    };
    this.#watchers.add(tell);
    signal?.addEventListener("abort", () => wake(), { once: true });
    onOpen?.();
    while (signal?.aborted !== true) {
      const event = queue.shift();
      if (event) yield event;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    this.#watchers.delete(tell);
  }
}

/** Follows the Repositories of a hub; what became of each, in order. */
async function follow(
  { api }: { readonly api: Pick<KubeApi, "list" | "watch"> },
  more: Partial<FurtherRepositoriesOptions> = {},
) {
  const objects = new Map<string, KnownRepository>();
  /** What was there whenever something had changed. */
  const news: string[] = [];
  const events: string[] = [];
  const engines: GitEngine[] = [];
  const lines: (readonly [string, LogFields | undefined])[] = [];
  const note = (message: string, fields?: LogFields): void => void lines.push([message, fields]);
  const log: Log = { ...silentLog, info: note, warn: note, error: note, with: () => log };
  const stopping = new AbortController();
  const further = await followFurtherRepositories({
    hubApi: api as KubeApi,
    namespace: "rollcall",
    except: "fleet",
    cacheDir: folder.path,
    environment: {},
    objects,
    onChange: () =>
      void news.push(
        [...objects.values()]
          .flatMap((known) => known.read() ?? [])
          .map(({ metadata, spec }) => `${metadata.name} of ${spec.url}`)
          .join(),
      ),
    prepare: async () => void events.push(["prepares for", ...objects.keys()].join(" ")),
    startUnit: (name, { source, git }) => {
      events.push(`starts ${name} of ${source.read()?.spec.url}`);
      engines.push(git);
      return { stop: async () => void events.push(`stops ${name}`) } as unknown as RepositoryUnit;
    },
    log,
    signal: stopping.signal,
    ...more,
  });
  onTestFinished(async () => {
    stopping.abort();
    await further.stop();
  });
  const settled = async (count: number): Promise<void> => {
    await until(
      async () => events.length,
      (seen) => seen >= count,
    );
    await further.whenIdle();
  };
  return { further, objects, news, events, engines, lines, settled, stopping };
}

describe("followFurtherRepositories", () => {
  it("starts a unit for each object that is there, except that of the flags", async () => {
    const repositories = new Repositories();
    repositories.set("fleet", first);
    repositories.set("other", second);
    const { further, objects, news, events } = await follow(repositories);
    expect(news).toEqual([]);
    expect(events).toEqual(["prepares for other", `starts other of ${second}`]);
    expect([...further.units().keys()]).toEqual(["other"]);
    expect([...objects.keys()]).toEqual(["other"]);
  });

  it("starts one for an object that is created, and again where its address changes, and stops it with the object", async () => {
    const repositories = new Repositories();
    const { further, objects, news, events, settled } = await follow(repositories);
    repositories.set("other", first);
    await settled(2);
    repositories.set("other", first);
    repositories.set("other", second);
    await settled(5);
    repositories.delete("other");
    await settled(6);
    expect(events).toEqual([
      ...["prepares for other", `starts other of ${first}`],
      ...["stops other", "prepares for other", `starts other of ${second}`],
      "stops other",
    ]);
    expect([further.units().size, objects.size]).toEqual([0, 0]);
    expect(news).toEqual([`other of ${first}`, `other of ${first}`, `other of ${second}`, ""]);
  });

  it("calls no listener of a unit that has ended, because the address changed", async () => {
    const repositories = new Repositories();
    repositories.set("other", first);
    const calls: string[] = [];
    const { further } = await follow(repositories, {
      startUnit: (_name, { source }) => {
        const url = source.read()?.spec.url ?? "";
        source.onChange(() => void calls.push(`${url} with ${source.read()?.spec.url}`));
        return { stop: async () => undefined } as unknown as RepositoryUnit;
      },
    });
    const [begun] = further.units().values();
    repositories.set("other", second);
    await until(
      async () => further.units().get("other"),
      (unit) => unit !== undefined && unit !== begun,
    );
    repositories.set("other", second);
    await expect.poll(() => calls).toContain(`${second} with ${second}`);
    expect(calls).toEqual([`${first} with ${second}`, `${second} with ${second}`]);
  });

  it("has the unit work with the object that replaces one of the same address, while another one is begun", async () => {
    const repositories = new Repositories();
    repositories.set("other", first);
    const sources: RepositorySource[] = [];
    const stopped: string[] = [];
    const isReady = new AbortController();
    const { further } = await follow(repositories, {
      prepare: () => (sources.length === 0 ? Promise.resolve() : whenAborted(isReady.signal)),
      startUnit: (name, { source }) => {
        sources.push(source);
        return { stop: async () => void stopped.push(name) } as unknown as RepositoryUnit;
      },
    });
    const [unit] = sources;
    const generation = async () => unit?.read()?.metadata.generation;
    repositories.set("slow", second);
    repositories.delete("other");
    await until(generation, (seen) => seen === undefined);
    repositories.set("other", first);
    await until(generation, (seen) => seen === 5);
    isReady.abort();
    await further.whenIdle();
    expect([sources.length, stopped, await generation()]).toEqual([2, [], 5]);
  });

  it("gives the unit an older object of a hub that was restored, and follows its address", async () => {
    const hub = new ScriptedHub();
    hub.answer("50", repository("other", second, 50));
    const { events, settled } = await follow(hub);
    hub.answer("20", repository("other", first, 20));
    hub.watch.fail(new AppError("E_KUBE_UNREACHABLE", "reset"));
    await settled(5);
    expect(events.slice(2)).toEqual(["stops other", "prepares for other", `starts other of ${first}`]);
  });

  it("logs that the hub does not let it watch", async () => {
    const hub = new ScriptedHub();
    const { lines } = await follow(hub);
    hub.refusal = new AppError("E_KUBE_FORBIDDEN", "no");
    hub.watch.fail(new AppError("E_KUBE_FORBIDDEN", "no"));
    const isForbidden = { kind: "Repository", error: { code: "E_KUBE_FORBIDDEN" } };
    await expect.poll(() => lines[0]).toMatchObject(["watching a kind failed", isForbidden]);
  });

  it.each(["/srv/fleet.git", "http://git.example.com/fleet.git"])(
    "follows an object that names %s, and reports in its conditions that it is refused",
    async (url) => {
      const repositories = new Repositories();
      repositories.set("other", url);
      const { engines, lines } = await follow(repositories);
      await expect(engines[0]?.fetchHead("main")).rejects.toMatchObject({ code: "E_GIT_URL" });
      expect(lines[0]).toMatchObject(["a repository cannot be opened", { repository: "other" }]);
    },
  );

  it("waits for a copy that another process holds, while the unit runs", async () => {
    const repositories = new Repositories();
    repositories.set("held", first);
    const release = await lockFolder(join(folder.path, "repositories", "held"), realRandom);
    const { engines, events, lines } = await follow(repositories);
    await expect(engines[0]?.fetchHead("main")).rejects.toMatchObject({ code: "E_DIR_LOCKED" });
    expect(events).toEqual(["prepares for held", `starts held of ${first}`]);
    expect(lines[0]?.[0]).toBe("a repository cannot be opened yet");
    await release();
  });

  it("logs one that cannot be started, and follows the others", async () => {
    const repositories = new Repositories();
    repositories.set("bad", first);
    repositories.set("good", second);
    const started: string[] = [];
    const startUnit = (name: string) => {
      if (name === "bad") throw new AppError("E_KUBE_FORBIDDEN", "no");
      started.push(name);
      return { stop: async () => undefined } as unknown as RepositoryUnit;
    };
    const { further, lines } = await follow(repositories, { startUnit });
    expect(started).toEqual(["good"]);
    expect([...further.units().keys()]).toEqual(["good"]);
    expect(lines[0]).toMatchObject([
      "following a repository failed",
      { repository: "bad", error: { code: "E_KUBE_FORBIDDEN" } },
    ]);
  });

  it("forgets one that was deleted without a unit", async () => {
    const repositories = new Repositories();
    repositories.set("bad", first);
    const startUnit = (): never => {
      throw new AppError("E_KUBE_FORBIDDEN", "no");
    };
    const { further, news, objects } = await follow(repositories, { startUnit });
    repositories.delete("bad");
    await expect.poll(() => news).toEqual([""]);
    await further.whenIdle();
    expect([...objects.keys()]).toEqual([]);
  });

  it("follows a Repository at its new address although its unit did not end well", async () => {
    const repositories = new Repositories();
    repositories.set("other", first);
    let isFirst = true;
    const startUnit = () => {
      const stop = isFirst ? () => Promise.reject(new Error("no end")) : async () => undefined;
      isFirst = false;
      return { stop } as unknown as RepositoryUnit;
    };
    const { further, lines } = await follow(repositories, { startUnit });
    const begun = further.units().get("other");
    repositories.set("other", second);
    await until(
      async () => further.units().get("other"),
      (unit) => unit !== undefined && unit !== begun,
    );
    expect(lines).toMatchObject([
      ["ending a repository failed", { repository: "other", error: { message: "no end" } }],
    ]);
  });

  it("stops every unit with itself, and begins none after its end", async () => {
    const repositories = new Repositories();
    repositories.set("a", first);
    const { further, events, stopping } = await follow(repositories);
    repositories.set("b", second);
    stopping.abort();
    await further.stop();
    expect(events.filter((event) => event.startsWith("stops"))).toEqual(
      events
        .filter((event) => event.startsWith("starts"))
        .map((event) => event.replace(/^starts (\w+) of .*/u, "stops $1")),
    );
    expect(events).toContain("stops a");
  });
});
