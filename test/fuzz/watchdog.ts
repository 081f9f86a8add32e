import { Worker } from "node:worker_threads";
import type { Input } from "./target.ts";

export interface Watchdog {
  /** An input is tried from now on. */
  begin(input: Input): void;
  /** It ended. */
  end(): void;
  close(): Promise<void>;
}

export interface WatchdogOptions {
  /** An input that ends the process is written to `<file>-<form>-hang`. */
  readonly file: string;
  /** CPU time of the process that one input may take before the process is ended. Default 20 s. */
  readonly mostCpuMs?: number;
  /** For an input that waits without using the CPU, in time that this process runs. Default 120 s. */
  readonly mostWaitMs?: number;
}

const sharedBytes = 2 * 1024 * 1024;
const headBytes = 8;

/** Runs in a thread of its own, since nothing else runs while an input holds the loop. */
const program = `
const { workerData } = require("node:worker_threads");
const { writeFileSync, writeSync } = require("node:fs");
const { shared, file, mostCpuMs, mostWaitMs, headBytes } = workerData;
const head = new Int32Array(shared, 0, 2);
let seen = 0;
let since = 0;
let waitedMs = 0;
setInterval(() => {
  const sequence = Atomics.load(head, 0);
  const { user, system } = process.cpuUsage();
  const cpuMs = (user + system) / 1000;
  if (sequence !== seen || sequence === 0) {
    seen = sequence;
    since = cpuMs;
    waitedMs = 0;
    return;
  }
  waitedMs += 250;
  if (cpuMs - since > mostCpuMs || waitedMs > mostWaitMs) {
    const content = Buffer.from(new Uint8Array(shared, headBytes, head[1]));
    const zero = content.indexOf(0);
    const path = file + "-" + content.toString("utf8", 0, zero) + "-hang";
    writeFileSync(path, content.subarray(zero + 1));
    writeSync(2, path + ": no end after " + Math.round(cpuMs - since) + " ms of CPU time\\n");
    process.kill(process.pid, "SIGKILL");
  }
}, 250);
`;

/** Ends this process, with the input written, when one input never returns to the loop. */
export function startWatchdog({ file, mostCpuMs = 20_000, mostWaitMs = 120_000 }: WatchdogOptions): Watchdog {
  const shared = new SharedArrayBuffer(sharedBytes);
  const head = new Int32Array(shared, 0, 2);
  const content = new Uint8Array(shared, headBytes);
  const worker = new Worker(program, { eval: true, workerData: { shared, file, mostCpuMs, mostWaitMs, headBytes } });
  worker.unref();
  let sequence = 0;
  return {
    begin({ form, bytes }) {
      const start = Buffer.from(`${form}\0`);
      content.set(start);
      content.set(bytes.subarray(0, content.length - start.length), start.length);
      head[1] = Math.min(content.length, start.length + bytes.length);
      sequence = (sequence % 1_000_000_000) + 1;
      Atomics.store(head, 0, sequence);
    },
    end: () => void Atomics.store(head, 0, 0),
    close: async () => void (await worker.terminate()),
  };
}
