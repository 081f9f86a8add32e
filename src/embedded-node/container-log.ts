import { EventEmitter } from "node:events";
import { appendFile, mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import type { Clock } from "../core/clock.ts";

/** A longer line is cut into parts, as container runtimes do. */
const maxLineBytes = 16 << 10;
/** The child waits while more than this is not written yet. */
const maxPendingBytes = 1 << 20;
// The bytes of a line stay as they are: a cut may be within a letter, and not all output is text.
const wholeMark = Buffer.from("F ");
const partMark = Buffer.from("P ");
const lineEnd = Buffer.from("\n");

/**
 * The log of one run of a container: lines `<time> <stdout|stderr> <F|P> <text>`, the form of the container runtime
 * interface (P: part of a line that continues). When the file has `maxBytes` it becomes `<path>.1`, which is the bound:
 * twice that.
 */
export class ContainerLog {
  readonly path: string;
  readonly #clock: Clock;
  readonly #maxBytes: number;
  readonly #changes = new EventEmitter();
  /** Streams that wait until less is pending, whichever of them wrote it. */
  readonly #paused = new Set<Readable>();
  #writes = 0;
  #rotations = 0;
  #isRotating = false;
  #sizeBytes = 0;
  #pendingBytes = 0;
  #lastWrite: Promise<void>;
  #isEnded = false;

  constructor(path: string, clock: Clock, maxBytes: number) {
    this.path = path;
    this.#clock = clock;
    this.#maxBytes = maxBytes;
    this.#changes.setMaxListeners(0);
    // Where no folder can be made, each write fails by itself: lines are lost, and the container continues.
    this.#lastWrite = this.#open().catch(() => undefined);
  }

  /** True when nothing more will be written. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** How often something was written. */
  get writes(): number {
    return this.#writes;
  }

  /** How many files came before the one at `path`; the last of them is at `<path>.1`. */
  get rotations(): number {
    return this.#rotations;
  }

  /** Whether files are renamed now, until the end of the present write. */
  get isRotating(): boolean {
    return this.#isRotating;
  }

  /** Copies a stream into the log until it ends. Never rejects: a log that cannot be written loses lines, not the child. */
  async copy(stream: Readable, name: "stdout" | "stderr"): Promise<void> {
    let rest = Buffer.alloc(0);
    stream.on("data", (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      const front = this.#front(name);
      const parts: Buffer[] = [];
      for (;;) {
        const newline = rest.indexOf(10);
        const isWhole = newline >= 0 && newline <= maxLineBytes;
        if (!isWhole && rest.length <= maxLineBytes) break;
        const end = isWhole ? newline : maxLineBytes;
        parts.push(front, isWhole ? wholeMark : partMark, rest.subarray(0, end), lineEnd);
        rest = rest.subarray(isWhole ? end + 1 : end);
      }
      if (parts.length > 0) this.#write(Buffer.concat(parts), stream);
    });
    if (!stream.closed) await new Promise<void>((resolve) => stream.once("close", resolve));
    if (rest.length > 0) this.#write(Buffer.concat([this.#front(name), wholeMark, rest, lineEnd]), stream);
  }

  /** No more lines come. Resolves when all are written. */
  async end(): Promise<void> {
    await this.#lastWrite;
    this.#isEnded = true;
    this.#changes.emit("change");
  }

  /** Resolves when there are more writes than these, the log has ended, or the signal is aborted. */
  async whenChanged(writes: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#isEnded || this.#writes !== writes) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#changes.off("change", done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.#changes.once("change", done);
      signal.addEventListener("abort", done, { once: true });
    });
  }

  async #open(): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    this.#sizeBytes = await stat(this.path).then(
      ({ size }) => size,
      () => 0, // A new file.
    );
  }

  /** What a line begins with that is read now. */
  #front(name: string): Buffer {
    return Buffer.from(`${new Date(this.#clock.nowMs()).toISOString()} ${name} `);
  }

  #write(lines: Buffer, stream: Readable): void {
    const sizeBytes = lines.length;
    this.#pendingBytes += sizeBytes;
    if (this.#pendingBytes > maxPendingBytes) {
      this.#paused.add(stream);
      stream.pause();
    }
    const write = async () => {
      if (this.#sizeBytes + sizeBytes > this.#maxBytes && this.#sizeBytes > 0) await this.#rotate();
      await appendFile(this.path, lines, { mode: 0o600 });
      this.#sizeBytes += sizeBytes;
    };
    this.#lastWrite = this.#lastWrite
      .then(write)
      .catch(() => undefined) // The disk is full, or the folder was deleted: the container continues.
      .then(() => {
        this.#pendingBytes -= sizeBytes;
        if (this.#pendingBytes <= maxPendingBytes) this.#resume();
        this.#writes += 1;
        this.#changes.emit("change");
      });
  }

  #resume(): void {
    const paused = [...this.#paused];
    this.#paused.clear();
    for (const stream of paused) stream.resume();
  }

  async #rotate(): Promise<void> {
    this.#isRotating = true;
    try {
      await rm(`${this.path}.1`, { force: true });
      await rename(this.path, `${this.path}.1`);
      this.#rotations += 1;
      this.#sizeBytes = 0;
    } finally {
      this.#isRotating = false;
    }
  }
}
