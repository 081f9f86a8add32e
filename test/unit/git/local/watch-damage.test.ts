import { expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { watchDamage } from "../../../../src/git/local/watch-damage.ts";
import type { ObjectReader } from "../../../../src/git/objects/git-object.ts";

it("reports damage, and passes on what is read and every error", async () => {
  const failures: Readonly<Record<string, Error>> = {
    damaged: new AppError("E_GIT_CORRUPT", "read object: it is damaged"),
    missing: new AppError("E_GIT_OBJECT", "read object: it is not here"),
  };
  const answer = <T>(id: string, value: T): Promise<T> =>
    failures[id] ? Promise.reject(failures[id]) : Promise.resolve(value);
  const plain: ObjectReader = {
    format: "sha256",
    read: (id, maximumBytes) => answer(id, { type: "blob", content: Buffer.from(`${id} ${maximumBytes}`) }),
    has: (id) => answer(id, true),
  };
  let count = 0;
  const watched = watchDamage(plain, () => (count += 1));
  expect([watched.format, String((await watched.read("a", 5)).content), await watched.has("a")]).toEqual([
    ...["sha256", "a 5", true],
  ]);
  for (const work of [(id: string) => watched.read(id), (id: string) => watched.has(id)]) {
    await expect(work("missing")).rejects.toBe(failures["missing"]);
    const before = count;
    await expect(work("damaged")).rejects.toBe(failures["damaged"]);
    expect(count).toBe(before + 1);
  }
  expect(count).toBe(2);
});
