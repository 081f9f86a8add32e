import crypto from "node:crypto";
import type { KeyObject } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import timersPromises from "node:timers/promises";
import type { SimEvent } from "./event-heap.ts";
import type { Scheduler } from "./scheduler.ts";

const RealDate = Date;

/**
 * Replaces what Node.js gives to a process by what the scheduler gives to the node that runs: timers, clocks, random
 * numbers, new keys. Only for a process that does nothing but simulate: it stays so until the process ends.
 */
export function installPlatform(scheduler: () => Scheduler): void {
  const startTimer = (run: () => void, delayMs = 0): object => {
    const { current } = scheduler();
    if (current === undefined) throw new Error("a timer was started outside of an event");
    // Node.js knows no delay below a millisecond.
    return handleOf(scheduler().startTimer(current, Math.max(1, delayMs), run));
  };
  const startImmediate = (run: () => void): object => {
    const { current } = scheduler();
    if (current === undefined) throw new Error("an immediate was started outside of an event");
    return handleOf(scheduler().startTimer(current, 0, run));
  };
  const cancel = (handle: unknown): void => {
    if (handle instanceof Handle) handle.event.isCancelled = true;
  };
  Object.assign(globalThis, {
    setTimeout: (run: (...args: unknown[]) => void, delayMs?: number, ...args: unknown[]) =>
      startTimer(() => run(...args), delayMs),
    setInterval: () => {
      throw new Error("nothing that is simulated may start an interval");
    },
    setImmediate: (run: (...args: unknown[]) => void, ...args: unknown[]) => startImmediate(() => run(...args)),
    clearTimeout: cancel,
    clearImmediate: cancel,
    Date: simulatedDate(() => scheduler().wallMs()),
  });
  Object.defineProperty(performance, "now", { value: () => scheduler().elapsedMs, configurable: true });
  // It continues while the machines sleep.
  Object.assign(os, { uptime: () => (scheduler().elapsedMs + scheduler().sleptMs) / 1000 });
  Object.assign(Math, { random: () => scheduler().dice() });
  Object.assign(timersPromises, {
    setImmediate: () => new Promise<void>((resolve) => void startImmediate(resolve)),
  });
  Object.assign(crypto, deterministicCrypto(scheduler));
  syncBuiltinESMExports();
}

class Handle {
  readonly event: SimEvent;

  constructor(event: SimEvent) {
    this.event = event;
  }

  unref(): this {
    return this;
  }

  ref(): this {
    return this;
  }
}

function handleOf(event: SimEvent): Handle {
  return new Handle(event);
}

function simulatedDate(nowMs: () => number): DateConstructor {
  return new Proxy(RealDate, {
    construct: (target, args: unknown[], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [nowMs()] : args, newTarget) as Date,
    get: (target, key, receiver) => (key === "now" ? nowMs : (Reflect.get(target, key, receiver) as unknown)),
  });
}

/** Source: RFC 8410, the PKCS #8 form of an Ed25519 key is this and its 32 bytes. */
const ed25519Prefix = Buffer.from("302e020100300506032b657004220420", "hex");

/** More keys than the largest fleet has at one time. */
const mostKeys = 20_000;

/** A key in DER is parsed to the same whenever it is read: all processes of the world share what one has parsed. */
function rememberKeys<T>(parse: (input: T) => KeyObject): (input: T) => KeyObject {
  const known = new Map<string, KeyObject>();
  return (input) => {
    const {
      key: der,
      format,
      type,
    } = input as { readonly key?: unknown; readonly format?: string; readonly type?: string };
    if (format !== "der" || !Buffer.isBuffer(der)) return parse(input);
    const name = `${type} ${der.toString("base64")}`;
    const key = known.get(name) ?? parse(input);
    if (known.size >= mostKeys) known.clear();
    known.set(name, key);
    return key;
  };
}

function deterministicCrypto(scheduler: () => Scheduler): object {
  const bytes = (count: number): Buffer => Buffer.from(scheduler().random.bytes(count));
  return {
    createPublicKey: rememberKeys(crypto.createPublicKey),
    createPrivateKey: rememberKeys(crypto.createPrivateKey),
    randomBytes: bytes,
    randomUUID: () => {
      const hex = bytes(16).toString("hex");
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
    generateKeyPairSync: (type: string) => {
      if (type !== "ed25519") throw new Error(`no key of type ${type} can be made here`);
      const der = Buffer.concat([ed25519Prefix, bytes(32)]);
      const key = crypto.createPrivateKey({ key: der, format: "der", type: "pkcs8" });
      const privateKey = key.export({ type: "pkcs8", format: "pem" });
      const publicKey = crypto.createPublicKey(key).export({ type: "spki", format: "pem" });
      return { privateKey, publicKey };
    },
  };
}
