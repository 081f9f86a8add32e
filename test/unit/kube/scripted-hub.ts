import type { KubeApi, WatchEvent, WatchOptions } from "../../../src/kube/kube.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";

/** A ConfigMap of this version. */
export function object(name: string, resourceVersion: string, namespace = "edge"): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name, uid: `uid-${name}`, resourceVersion } };
}

/** Lists that the test answers, and watches that it feeds, for a cache. */
export class ScriptedHub {
  answerList: () => Promise<{ items: KubeObject[]; resourceVersion: string }> = () =>
    Promise.resolve({ items: [], resourceVersion: "1" });
  /** Thrown instead of opening a watch. */
  refusal: Error | undefined;
  readonly lists: string[] = [];
  readonly watches: OpenWatch[] = [];
  readonly versions: string[] = [];

  readonly api: Pick<KubeApi, "list" | "watch"> = {
    list: (_type, options = {}) => {
      this.lists.push(options.labelSelector ?? "");
      return this.answerList();
    },
    watch: (_type, options) => this.#watch(options),
  };

  answer(resourceVersion: string, ...items: KubeObject[]): void {
    this.answerList = () => Promise.resolve({ items, resourceVersion });
  }

  get watch(): OpenWatch {
    const open = this.watches.at(-1);
    if (open === undefined) throw new Error("no watch was opened");
    return open;
  }

  async *#watch(options: WatchOptions): AsyncGenerator<WatchEvent> {
    this.versions.push(options.resourceVersion);
    if (this.refusal !== undefined) throw this.refusal;
    const watch = new OpenWatch(options.signal);
    this.watches.push(watch);
    options.onOpen?.();
    yield* watch.events();
  }
}

/** A watch that the test feeds. */
class OpenWatch {
  readonly #queue: (WatchEvent | Error | "end")[] = [];
  #wake: () => void = () => undefined;

  constructor(signal: AbortSignal | undefined) {
    signal?.addEventListener("abort", () => this.#push("end"), { once: true });
  }

  tell(kind: "added" | "modified" | "deleted", changed: KubeObject): void {
    this.#push({ kind, object: changed });
  }
  bookmark(resourceVersion: string): void {
    this.#push({ kind: "bookmark", resourceVersion });
  }
  end(): void {
    this.#push("end");
  }
  fail(error: Error): void {
    this.#push(error);
  }

  #push(item: WatchEvent | Error | "end"): void {
    this.#queue.push(item);
    this.#wake();
  }

  async *events(): AsyncGenerator<WatchEvent> {
    for (;;) {
      const item = this.#queue.shift();
      if (item === "end") return;
      if (item instanceof Error) throw item;
      if (item !== undefined) yield item;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
