import { Worker } from "node:worker_threads";
import type { Clock } from "../../core/clock.ts";
import type { UserInfo } from "../auth/auth.ts";
import type { YamlOutcome } from "./parse-yaml.ts";
import { readYamlText } from "./parse-yaml.ts";
import { queueLimits, RequestQueue } from "./request-queue.ts";

export interface YamlReaderOptions {
  /** The built yaml-thread. Undefined: every text is read on the calling thread. */
  readonly entry: URL | undefined;
  readonly clock: Pick<Clock, "sleep">;
}

/** A text of as many pieces of syntax takes about 10 ms. */
export const shortYamlLength = 8 * 1024;
/** A thread that has nothing to read gives its memory back. */
const idleMs = 10_000;
const memoryLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

/**
 * Reads YAML bodies. A long one, of which 50,000 pieces of syntax take a tenth of a second, is read by a thread of its own,
 * so that it holds up no request: one at a time, round robin between users. The thread starts when the first one comes,
 * and ends when none came for a while. A class for its thread and its queue.
 */
export class YamlReader {
  private readonly options: YamlReaderOptions;
  private readonly queue = new RequestQueue((callback) => void setImmediate(callback), {
    ...queueLimits,
    perUser: 1,
    inAll: 1,
  });
  private thread: Worker | undefined;
  private idle = new AbortController();

  constructor(options: YamlReaderOptions) {
    this.options = options;
  }

  /** Throws 429 when too many wait. A text that waits is given up when `onGone` calls back. */
  read(text: string, user: UserInfo, onGone: (listener: () => void) => void): YamlOutcome | Promise<YamlOutcome> {
    const { entry } = this.options;
    if (entry === undefined || text.length <= shortYamlLength) return readYamlText(text);
    return this.readInTurn(text, entry, this.queue.enter(user, onGone));
  }

  async close(): Promise<void> {
    this.idle.abort();
    await this.endThread();
  }

  private async readInTurn(text: string, entry: URL, turn: ReturnType<RequestQueue["enter"]>): Promise<YamlOutcome> {
    const leave = await turn;
    this.idle.abort();
    try {
      return await ask((this.thread ??= startThread(entry)), text);
    } catch (error) {
      // What was wrong with it must not be so for the next text.
      await this.endThread();
      throw error;
    } finally {
      leave();
      if (this.thread !== undefined) void this.endWhenIdle();
    }
  }

  private async endWhenIdle(): Promise<void> {
    const idle = new AbortController();
    this.idle = idle;
    try {
      await this.options.clock.sleep(idleMs, idle.signal);
      await this.endThread();
    } catch (error) {
      // The next text came, or the hub ends.
      if (!idle.signal.aborted) throw error;
    }
  }

  private async endThread(): Promise<void> {
    const { thread } = this;
    this.thread = undefined;
    await thread?.terminate();
  }
}

function startThread(entry: URL): Worker {
  const thread = new Worker(entry, { resourceLimits: memoryLimits, env: {}, execArgv: [] });
  thread.unref();
  // An error is that of the text that is read; without such a text, there is nothing to report.
  thread.on("error", () => undefined);
  return thread;
}

function ask(thread: Worker, text: string): Promise<YamlOutcome> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error("the thread that reads YAML ended early"));
    thread.once("exit", onExit);
    thread.once("error", reject);
    thread.once("message", (outcome: YamlOutcome) => {
      thread.off("exit", onExit);
      thread.off("error", reject);
      resolve(outcome);
    });
    thread.postMessage(text);
  });
}
