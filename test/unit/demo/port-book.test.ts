import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Random } from "../../../src/core/clock.ts";
import type { PortBookParts } from "../../../src/demo/port-book.ts";
import { openPortBook } from "../../../src/demo/port-book.ts";
import { realRandom } from "../../support/real-time.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rollcall-ports-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Waits take no time, and `onWait` happens meanwhile. */
function parts({ random = realRandom, onWait = () => Promise.resolve() } = {}): PortBookParts {
  let nowMs = 0;
  const sleep = async (durationMs: number): Promise<void> => {
    nowMs += durationMs;
    await onWait();
  };
  return { clock: { monotonicMs: () => nowMs, sleep }, random };
}

const bookPath = (): string => join(folder, "ports.json");

async function whileTaken(port: number, work: () => Promise<void>): Promise<void> {
  const server = createServer().listen({ host: "127.0.0.1", port });
  await once(server, "listening");
  try {
    await work();
  } finally {
    server.close();
    await once(server, "close");
  }
}

describe("the ports of a fleet on this machine", () => {
  it("are none that a system gives to outgoing connections", async () => {
    const book = await openPortBook(bookPath(), parts());
    for (let round = 0; round < 20; round += 1) {
      const port = await book.portOf("hub");
      expect(port).toBeGreaterThanOrEqual(20_000);
      expect(port).toBeLessThan(30_000);
    }
  });

  it("are the same at the next start", async () => {
    await (await openPortBook(bookPath(), parts())).remember("page", 23_456);
    const book = await openPortBook(bookPath(), parts());
    expect(await book.portOf("page")).toBe(23_456);
  });

  it("are known only after they were remembered", async () => {
    const book = await openPortBook(bookPath(), parts());
    expect(book.knownPortOf("page")).toBeUndefined();
    await book.remember("page", 23_456);
    expect(book.knownPortOf("page")).toBe(23_456);
  });

  it("are chosen anew where the file has what is no port", async () => {
    await writeFile(bookPath(), '{"hub":70000,"page":-1,"cluster a":1.5,"cluster b":0,"cluster c":"20000"}');
    const book = await openPortBook(bookPath(), parts());
    for (const name of ["hub", "page", "cluster a", "cluster b", "cluster c"]) {
      expect(book.knownPortOf(name)).toBeUndefined();
      expect(await book.freePortOf(name)).toBeGreaterThanOrEqual(20_000);
    }
  });

  it("stay what they are for the hub, and move for the page, when another program listens there", async () => {
    const book = await openPortBook(bookPath(), parts());
    const port = await book.portOf("page");
    for (const name of ["hub", "page"]) await book.remember(name, port);
    expect(await book.freePortOf("page")).toBe(port);
    await whileTaken(port, async () => {
      expect(await book.portOf("hub")).toBe(port);
      expect(await book.freePortOf("page")).not.toBe(port);
    });
  });

  it("are waited for while another process still has them", async () => {
    const port = await (await openPortBook(bookPath(), parts())).portOf("other");
    const server = createServer().listen({ host: "127.0.0.1", port });
    await once(server, "listening");
    let waits = 0;
    const onWait = async (): Promise<void> => {
      waits += 1;
      if (waits !== 3) return;
      server.close();
      await once(server, "close");
    };
    const book = await openPortBook(bookPath(), parts({ onWait }));
    await book.remember("hub", port);
    expect(await book.portOf("hub")).toBe(port);
    expect(waits).toBe(3);
  });

  it("are the system's choice when every try finds a port that is taken", async () => {
    const port = await (await openPortBook(bookPath(), parts())).portOf("hub");
    const sameAgain: Random = { ...realRandom, next: () => (port - 20_000 + 0.5) / 10_000 };
    await whileTaken(port, async () => {
      expect(await (await openPortBook(bookPath(), parts({ random: sameAgain }))).portOf("hub")).toBe(0);
    });
  });

  it("takes a book that cannot be read for a fault, not for a first start whose ports replace the known ones", async () => {
    await mkdir(bookPath());
    await expect(openPortBook(bookPath(), parts())).rejects.toMatchObject({ code: "E_READ" });
  });
});
