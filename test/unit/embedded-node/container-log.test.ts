import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ContainerLog } from "../../../src/embedded-node/container-log.ts";
import { readContainerLog } from "../../../src/embedded-node/read-container-log.ts";
import type { LogQuery } from "../../../src/embedded-node/read-container-log.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { until } from "../../support/until.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rollcall-log-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const plain = { isFollowing: false, hasTimestamps: false, signal: new AbortController().signal };

async function read(log: ContainerLog, query: Partial<LogQuery> = {}): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readContainerLog(log, { ...plain, ...query })) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Follows a log: each call resolves with the next line, or with undefined at its end. */
function follow(log: ContainerLog): () => Promise<string | undefined> {
  const lines = readContainerLog(log, { ...plain, isFollowing: true })[Symbol.asyncIterator]();
  return async () => {
    const turn = await lines.next();
    return turn.done === true ? undefined : Buffer.from(turn.value).toString();
  };
}

async function logOf(writes: readonly (string | Buffer)[], maxBytes = 1 << 20) {
  const clock = createManualClock();
  const log = new ContainerLog(join(folder, "c", "0.log"), clock, maxBytes);
  const stream = new PassThrough();
  const copied = log.copy(stream, "stdout");
  for (const text of writes) {
    stream.write(text);
    await clock.advance(1000);
  }
  stream.end();
  await copied;
  await log.end();
  return { log, clock };
}

describe("ContainerLog", () => {
  it("keeps lines with their time and stream, whatever chunks they come in", async () => {
    const { log } = await logOf(["one\ntw", "o\n", "", "no end"]);
    expect(await read(log)).toBe("one\ntwo\nno end\n");
    expect(await readFile(log.path, "utf8")).toMatch(/^\d{4}-[^ ]+Z stdout F one\n/u);
    expect((await stat(log.path)).mode & 0o777).toBe(0o600);
  });

  it("puts a long line together again, bytes of letters included", async () => {
    const line = `${"ä".repeat(20_000)}!`;
    const { log } = await logOf([`${line}\nnext\n`]);
    expect(await read(log)).toBe(`${line}\nnext\n`);
    expect(await read(log, { tailLines: 2 })).toBe(`${line}\nnext\n`);
    expect(await read(log, { tailLines: 1 })).toBe("next\n");
  });

  it("keeps each byte of a long line, wherever it is cut", async () => {
    const line = "€".repeat(20_000);
    const { log } = await logOf([`${line}\n`]);
    expect(await read(log)).toBe(`${line}\n`);
  });

  it("keeps bytes that are no text", async () => {
    const bytes = Buffer.from([0xff, 0xfe, 0x41, 0x0a]);
    const { log } = await logOf([bytes]);
    const chunks: Uint8Array[] = [];
    for await (const chunk of readContainerLog(log, plain)) chunks.push(chunk);
    expect(Buffer.concat(chunks)).toEqual(bytes);
  });

  it("loses lines where the disk takes none, and lets the container go on", async () => {
    await writeFile(join(folder, "c"), "no folder");
    const { log } = await logOf(["one\n", "two\n"]);
    expect(log.isEnded).toBe(true);
    const silent = new ContainerLog(join(folder, "c", "1.log"), createManualClock(), 1000);
    await silent.end();
    expect(silent.isEnded).toBe(true);
  });

  it("is bounded: the oldest lines go", async () => {
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index}\n`);
    const { log } = await logOf(lines, 2000);
    const sizes = await Promise.all([log.path, `${log.path}.1`].map(async (path) => (await stat(path)).size));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2000);
    const text = await read(log);
    expect(text).toMatch(/line 198\nline 199\n$/u);
    expect(text).not.toContain("line 0\n");
  });

  it("lets a program wait that prints faster than its lines are written", async () => {
    const log = new ContainerLog(join(folder, "c", "0.log"), createManualClock(), 8 << 20);
    const stream = new PassThrough();
    let pauses = 0;
    stream.on("pause", () => (pauses += 1));
    const copied = log.copy(stream, "stdout");
    const line = "x".repeat(16_000);
    const count = 200;
    stream.end(`${line}\n`.repeat(count));
    await copied;
    await log.end();
    expect(pauses).toBeGreaterThan(0);
    expect(await read(log)).toBe(`${line}\n`.repeat(count));
  });

  it("reads both streams to their end that print at once faster than their lines are written", async () => {
    const log = new ContainerLog(join(folder, "c", "0.log"), createManualClock(), 16 << 20);
    const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
    const copied = Promise.all([log.copy(streams.stdout, "stdout"), log.copy(streams.stderr, "stderr")]);
    // With its time a line of one byte is forty: either chunk alone is more than may wait.
    const lines = "\n".repeat(60_000);
    for (const stream of Object.values(streams)) stream.write(lines);
    await expect.poll(() => log.writes).toBe(2);
    for (const stream of Object.values(streams)) stream.end();
    await copied;
    await log.end();
    expect(await read(log)).toBe(lines + lines);
  });
});

describe("readContainerLog", () => {
  it("selects by time, by number of lines, by bytes", async () => {
    const { log, clock } = await logOf(["a\n", "b\n", "c\n"]);
    expect(await read(log, { sinceMs: clock.nowMs() - 2500 })).toBe("b\nc\n");
    expect(await read(log, { tailLines: 1 })).toBe("c\n");
    expect(await read(log, { tailLines: 9 })).toBe("a\nb\nc\n");
    expect(await read(log, { limitBytes: 3 })).toBe("a\nb");
    expect(await read(log, { hasTimestamps: true, tailLines: 1 })).toMatch(/^\d{4}-\S+Z c\n$/u);
  });

  it("follows a line that comes between a read and the wait for the next one", async () => {
    const stream = new PassThrough();
    class LateLine extends ContainerLog {
      override async whenChanged(...wait: Parameters<ContainerLog["whenChanged"]>): Promise<void> {
        if (this.writes === 0) {
          stream.write("late\n");
          await until(
            async () => this.writes,
            (writes) => writes > 0,
          );
        }
        return super.whenChanged(...wait);
      }
    }
    const log = new LateLine(join(folder, "c", "0.log"), createManualClock(), 1 << 20);
    const copied = log.copy(stream, "stdout");
    const next = follow(log);
    expect(await next()).toBe("late\n");
    stream.end();
    await copied;
    await log.end();
    expect(await next()).toBeUndefined();
  });

  it("follows each line where a new file has more bytes than were read of the one before", async () => {
    const log = new ContainerLog(join(folder, "c", "0.log"), createManualClock(), 300);
    const stream = new PassThrough();
    const copied = log.copy(stream, "stdout");
    const next = follow(log);
    const write = async (text: string): Promise<void> => {
      const { writes } = log;
      stream.write(`${text}\n`);
      await until(
        async () => log.writes,
        (count) => count > writes,
      );
    };
    await write("first");
    expect(await next()).toBe("first\n");
    const rest = ["of the old file", "x".repeat(250), "new", "newer"];
    for (const text of rest) await write(text);
    for (const text of rest) expect(await next()).toBe(`${text}\n`);
    stream.end();
    await copied;
    await log.end();
    expect(await next()).toBeUndefined();
  });

  it("continues with the oldest line that is left when two rotations have overtaken it", async () => {
    const log = new ContainerLog(join(folder, "c", "0.log"), createManualClock(), 100);
    const stream = new PassThrough();
    const copied = log.copy(stream, "stdout");
    const next = follow(log);
    stream.write("first\n");
    expect(await next()).toBe("first\n");
    for (const name of ["a", "b", "c", "d"]) stream.write(`${name.repeat(60)}\n`);
    stream.end();
    await copied;
    await log.end();
    for (const name of ["c", "d"]) expect(await next()).toBe(`${name.repeat(60)}\n`);
    expect(await next()).toBeUndefined();
  });

  it("follows what is written, over a rotation, until the end", async () => {
    const clock = createManualClock();
    const log = new ContainerLog(join(folder, "c", "0.log"), clock, 300);
    const stream = new PassThrough();
    const copied = log.copy(stream, "stdout");
    let followed = "";
    const following = (async () => {
      for await (const chunk of readContainerLog(log, { ...plain, isFollowing: true }))
        followed += Buffer.from(chunk).toString();
    })();
    for (let index = 0; index < 20; index++) {
      stream.write(`line ${index}\n`);
      // The reader has its turn before the file is rotated twice.
      await until(
        async () => followed,
        (text) => text.endsWith(`line ${index}\n`),
      );
    }
    stream.end();
    await copied;
    await log.end();
    await following;
    expect(followed).toBe(Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join(""));
  });
});
