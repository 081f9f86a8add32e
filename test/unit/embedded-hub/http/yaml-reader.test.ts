import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { YamlOutcome } from "../../../../src/embedded-hub/http/parse-yaml.ts";
import { shortYamlLength, YamlReader } from "../../../../src/embedded-hub/http/yaml-reader.ts";

/** A thread that answers with its number and the number of texts that it holds, and ends at "end". */
const script = `
import { parentPort, threadId } from "node:worker_threads";
let held = 0;
parentPort.on("message", (text) => {
  if (text.startsWith("end")) process.exit(1);
  if (text.startsWith("fail")) throw new Error("it fails");
  held += 1;
  const value = { threadId, held };
  setImmediate(() => {
    held -= 1;
    parentPort.postMessage({ kind: "value", value, duplicates: [] });
  });
});
`;

let folder: string;
let entry: URL;
let reader: YamlReader;
const never = (): void => undefined;
const long = (start: string): string => start.padEnd(shortYamlLength + 1, "#");

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "yaml-reader-"));
  const file = join(folder, "thread.mjs");
  await writeFile(file, script);
  entry = pathToFileURL(file);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(() => reader.close());

/** `sleep` ends an idle time when the test calls it. */
function makeReader(thread: URL | undefined = entry): { readonly wake: () => void } {
  let wake = (): void => undefined;
  const sleep = (_: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      wake = resolve;
      signal?.addEventListener("abort", () => reject(new Error("no longer idle")));
    });
  reader = new YamlReader({ entry: thread, clock: { sleep } });
  return { wake: () => wake() };
}

const read = async (username: string, text: string): Promise<YamlOutcome> =>
  reader.read(text, { username, groups: [] }, never);

describe("YamlReader", () => {
  it("A51 reads no long text on the thread that serves requests, and a short one there", async () => {
    makeReader();
    expect(await read("a", long("a: 1\n"))).toMatchObject({
      value: { threadId: expect.any(Number) as number, held: 1 },
    });
    expect(await read("a", "a: 1\n".padEnd(shortYamlLength, "#"))).toMatchObject({ value: { a: 1 } });
  });

  it("reads every text on the thread that serves requests where there is no built file", async () => {
    reader = new YamlReader({ entry: undefined, clock: { sleep: () => Promise.resolve() } });
    expect(await read("a", long("a: 1\n"))).toMatchObject({ value: { a: 1 } });
  });

  it("A60 has one text read at a time, round robin between users", async () => {
    makeReader();
    const order: string[] = [];
    const send = async (username: string): Promise<void> => {
      expect(await read(username, long(username))).toMatchObject({ value: { held: 1 } });
      order.push(username);
    };
    await Promise.all([...Array.from({ length: 40 }, () => send("flooder")), send("quiet")]);
    expect(order.indexOf("quiet")).toBeLessThanOrEqual(2);
  });

  it("A60 gives up a text whose client disconnected, and reads the next one", async () => {
    makeReader();
    const first = read("a", long("a"));
    let leave = (): void => undefined;
    const waiting = reader.read(long("b"), { username: "a", groups: [] }, (listener) => (leave = listener));
    leave();
    await expect(waiting).rejects.toThrow("the client disconnected");
    expect(await first).toMatchObject({ kind: "value" });
    expect(await read("a", long("c"))).toMatchObject({ kind: "value" });
  });

  it.each([
    ["that ends", "end", "ended early"],
    ["that fails", "fail", "it fails"],
  ])("outlives a thread %s, and starts another one", async (_, text, message) => {
    makeReader();
    await expect(read("a", long(text))).rejects.toThrow(message);
    expect(await read("a", long("a"))).toMatchObject({ kind: "value" });
  });

  it("ends its thread when it has nothing to read, and starts another one", async () => {
    const { wake } = makeReader();
    const first = await read("a", long("a"));
    expect(await read("a", long("a"))).toEqual(first);
    wake();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await read("a", long("a"))).not.toEqual(first);
  });
});
