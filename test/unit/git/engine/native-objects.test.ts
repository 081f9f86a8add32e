import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import type { NativeGit } from "../../../../src/git/engine/native-git.ts";
import { openNativeObjects } from "../../../../src/git/engine/native-objects.ts";
import { nameObject } from "../../../../src/git/objects/git-object.ts";
import type { NamedObject } from "../../../../src/git/objects/git-object.ts";

const blobOf = (text: string): NamedObject => nameObject("blob", Buffer.from(text), "sha1");
const [small, empty, lines] = [blobOf("small\n"), blobOf(""), blobOf("a\nb 1\n\n")];

/** What git answers for an object. Source: git-cat-file(1). */
function answerOf({ id, type, content }: NamedObject): string {
  return `${id} ${type} ${content.byteLength}\n${Buffer.from(content).toString()}\n`;
}

/** A process of git whose answers the test gives, and ends. */
class FakeChild extends EventEmitter {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly signals: string[] = [];

  get asked(): string[] {
    return ((this.stdin.read() as Buffer | null)?.toString() ?? "").split("\n").slice(0, -1);
  }

  kill(signal: string): void {
    this.signals.push(signal);
  }
}

function open() {
  const children: FakeChild[] = [];
  const started: unknown[] = [];
  const git = {
    start: (run: unknown) => {
      started.push(run);
      const child = new FakeChild();
      children.push(child);
      return child as unknown as ChildProcessWithoutNullStreams;
    },
  } as unknown as NativeGit;
  return { objects: openNativeObjects(git, "/copy", "sha1"), children, started };
}

describe("objects that native git reads", () => {
  it.each([1, 3, 7, 1000])("are whole where the answer arrives in pieces of %i bytes", async (pieceBytes) => {
    const { objects, children, started } = open();
    const wanted = [small, empty, lines, small];
    const read = Promise.all(wanted.map(({ id }) => objects.read(id)));
    const [child] = children;
    expect(child?.asked).toEqual(wanted.map(({ id }) => id));
    const text = Buffer.from(wanted.map(answerOf).join(""));
    for (let at = 0; at < text.length; at += pieceBytes) child?.stdout.write(text.subarray(at, at + pieceBytes));
    expect(await read).toEqual(wanted.map(({ type, content }) => ({ type, content: Buffer.from(content) })));
    expect(started).toEqual([{ args: ["cat-file", "--batch"], gitDir: "/copy" }]);
  });

  it.each([
    [6, "small\n"],
    [5, { code: "E_FILE_TOO_LARGE", data: { sizeBytes: 6, maximumBytes: 5 } }],
  ])("may have at most %i bytes, and the next one is read all the same", async (maximumBytes, outcome) => {
    const { objects, children } = open();
    const read = objects.read(small.id, maximumBytes).then(
      ({ content }) => Buffer.from(content).toString(),
      (error: unknown) => error,
    );
    const next = objects.read(lines.id);
    children[0]?.stdout.write(answerOf(small) + answerOf(lines));
    const found = await read;
    if (typeof outcome === "string") expect(found).toBe(outcome);
    else expect(found).toMatchObject(outcome);
    expect((await next).content).toEqual(Buffer.from(lines.content));
    expect(children.length).toBe(1);
  });

  it("A57 are asked of another process behind one that is too large to be dropped", async () => {
    const { objects, children } = open();
    const large = objects.read(small.id, 1000).catch((error: unknown) => error);
    const next = objects.read(lines.id);
    children[0]?.stdout.write(`${small.id} blob ${16 * 1024 ** 2 + 1}\nthe beginning`);
    expect(await large).toMatchObject({ code: "E_FILE_TOO_LARGE" });
    const [first, second] = children;
    expect([first?.signals, second?.asked]).toEqual([["SIGKILL"], [lines.id]]);
    first?.emit("close", null);
    second?.stdout.write(answerOf(lines));
    expect((await next).type).toBe("blob");
  });

  it("are dropped as they come up to 16 MiB", async () => {
    const { objects, children } = open();
    const sizeBytes = 16 * 1024 ** 2;
    const large = objects.read(small.id, 1000).catch((error: unknown) => error);
    const next = objects.read(lines.id);
    children[0]?.stdout.write(`${small.id} blob ${sizeBytes}\n`);
    children[0]?.stdout.write(Buffer.alloc(sizeBytes + 1));
    children[0]?.stdout.write(answerOf(lines));
    expect(await large).toMatchObject({ code: "E_FILE_TOO_LARGE" });
    expect((await next).type).toBe("blob");
    expect(children[0]?.signals).toEqual([]);
  });

  it.each([
    ["that are not there", `${small.id} missing\n`, { code: "E_GIT_OBJECT", data: { isMissing: true } }],
    ["whose ids begin several", `${small.id} ambiguous\n`, { code: "E_GIT_OBJECT" }],
    ["with the content of another", answerOf({ ...lines, id: small.id }), { code: "E_GIT_CORRUPT" }],
    ["of another type", answerOf({ ...small, type: "tree" }), { code: "E_GIT_CORRUPT" }],
  ])("%s are refused, and the next one is read", async (_what, answer, error) => {
    const { objects, children } = open();
    const read = objects.read(small.id).catch((failure: unknown) => failure);
    const next = objects.has(lines.id);
    children[0]?.stdout.write(answer + answerOf(lines));
    expect(await read).toMatchObject(error);
    expect(await next).toBe(true);
  });

  it.each(["HEAD", "main", `${small.id}\n${lines.id}`, small.id.slice(1), small.id.toUpperCase(), "--all"])(
    "are asked for by whole ids alone: %j",
    async (id) => {
      const { objects, children } = open();
      await expect(objects.read(id)).rejects.toMatchObject({ code: "E_GIT_OBJECT" });
      expect(children).toEqual([]);
    },
  );

  it.each(["close", "error", "stdin"])("fail when git ends, and are asked of another one then: %s", async (end) => {
    const { objects, children } = open();
    const reads = [small, lines].map(({ id }) => objects.read(id).catch((error: unknown) => error));
    if (end === "stdin") children[0]?.stdin.emit("error", new Error("EPIPE"));
    else children[0]?.emit(end, end === "error" ? new Error("ENOENT") : 1);
    for (const read of reads) expect(await read).toMatchObject({ code: "E_GIT_CORRUPT" });
    const again = objects.read(small.id);
    children[1]?.stdout.write(answerOf(small));
    expect((await again).type).toBe("blob");
  });

  it("are read by a process that ends before a stop does, and by another one after it", async () => {
    const { objects, children } = open();
    await objects.stop();
    const read = objects.read(small.id);
    children[0]?.stdout.write(answerOf(small));
    await read;
    const steps: string[] = [];
    children[0]?.stdin.once("finish", () => {
      setImmediate(() => {
        steps.push("closed");
        children[0]?.emit("close", 0);
      });
    });
    await objects.stop();
    expect([...steps, "stopped"]).toEqual(["closed", "stopped"]);
    const again = objects.read(small.id);
    children[1]?.stdout.write(answerOf(small));
    await again;
    expect(children.length).toBe(2);
  });
});
