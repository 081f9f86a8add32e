import { describe, expect, it } from "vitest";
import { makeCopyWork } from "../../../../src/git/engine/copy-work.ts";

/** Work that ends when `end` is called, in the order in which it began. */
function openScene() {
  const work = makeCopyWork();
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const lasting = (name: string) => async (): Promise<string> => {
    began.push(name);
    await new Promise<void>((resolve) => ends.set(name, resolve));
    return name;
  };
  /** After all that could happen by now has happened. */
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await settled();
  };
  return { work, began, lasting, end, settled };
}

describe("makeCopyWork", () => {
  it("runs work one after the other, and what is beside meanwhile", async () => {
    const { work, began, lasting, end, settled } = openScene();
    const first = work.run(async () => ({ pack: work.beside(lasting("pack")) }));
    const second = work.run(lasting("second"));
    const third = work.run(lasting("third"));
    await settled();
    expect(began).toEqual(["pack", "second"]);
    await end("second");
    expect(began).toEqual(["pack", "second", "third"]);
    await end("third");
    expect(await Promise.all([second, third])).toEqual(["second", "third"]);
    await end("pack");
    expect(await (await first).pack).toBe("pack");
  });

  it("is alone once all that ran beside has ended, also by a failure, which concerns its caller alone", async () => {
    const { work, lasting, end, settled } = openScene();
    expect(work.isAlone()).toBe(true);
    const failing = work.beside(async () => {
      await lasting("failing")();
      throw new Error("no pack");
    });
    const other = work.beside(lasting("other"));
    let isAlone = false;
    const alone = work.run(() => work.whenAlone()).then(() => (isAlone = true));
    await end("other");
    expect([work.isAlone(), isAlone]).toEqual([false, false]);
    await end("failing");
    await expect(failing).rejects.toThrow("no pack");
    await alone;
    expect(work.isAlone()).toBe(true);
    expect(await other).toBe("other");
    await settled();
  });

  it("keeps the order of each branch, and no branch waits for another one", async () => {
    const { work, began, lasting, end, settled } = openScene();
    const first = work.inOrder("main", lasting("first"));
    const second = work.inOrder("main", lasting("second"));
    const other = work.inOrder("topic", lasting("other"));
    await settled();
    expect(began).toEqual(["first", "other"]);
    await end("first");
    expect(began).toEqual(["first", "other", "second"]);
    await end("second");
    await end("other");
    expect(await Promise.all([first, second, other])).toEqual(["first", "second", "other"]);
  });

  it("is idle once nothing runs of any branch, nor what follows its pack", async () => {
    const { work, lasting, end, settled } = openScene();
    const last = work.inOrder("main", async () => {
      await work.beside(lasting("pack"));
      return work.run(lasting("last"));
    });
    let isIdle = false;
    const idle = work.whenIdle().then(() => (isIdle = true));
    await settled();
    await end("pack");
    expect(isIdle).toBe(false);
    await end("last");
    await idle;
    expect(await last).toBe("last");
  });
});
