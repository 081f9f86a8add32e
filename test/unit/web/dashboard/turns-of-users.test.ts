import { expect, it } from "vitest";
import { createTurnsOfUsers } from "../../../../src/web/dashboard/turns-of-users.ts";

/** Work that ends when the test ends it. */
function openWork() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) => (): Promise<string> => {
    begun.push(name);
    return new Promise((resolve) => ends.push(() => resolve(name)));
  };
  return { begun, ends, work };
}

it("A76 does two things of a user at once, lets three wait, and does those of another user", async () => {
  const turns = createTurnsOfUsers({ atOnce: 2, waiting: 3 });
  const { begun, ends, work } = openWork();
  const ofBob = [1, 2, 3, 4, 5, 6].map((number) => turns("bob", work(`bob ${number}`)));
  expect(ofBob.map((answer) => answer !== undefined)).toEqual([true, true, true, true, true, false]);
  const ofAnn = turns("ann", work("ann"));
  await Promise.resolve();
  expect(begun).toEqual(["bob 1", "bob 2", "ann"]);
  ends[0]?.();
  ends[2]?.();
  expect([await ofBob[0], await ofAnn]).toEqual(["bob 1", "ann"]);
  expect(begun).toEqual(["bob 1", "bob 2", "ann", "bob 3"]);
});

it("counts against a user what is still under way when other work of it has ended", async () => {
  const turns = createTurnsOfUsers({ atOnce: 2, waiting: 0 });
  const { begun, ends, work } = openWork();
  const [first] = [turns("bob", work("bob 1")), turns("bob", work("bob 2"))];
  await Promise.resolve();
  ends[0]?.();
  await first;
  expect([turns("bob", work("bob 3")), turns("bob", work("bob 4"))]).toEqual([expect.any(Promise), undefined]);
  await Promise.resolve();
  expect(begun).toEqual(["bob 1", "bob 2", "bob 3"]);
});

it("takes work again after work that failed", async () => {
  const turns = createTurnsOfUsers({ atOnce: 1, waiting: 0 });
  await expect(turns("bob", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await turns("bob", () => Promise.resolve("yes"))).toBe("yes");
});
