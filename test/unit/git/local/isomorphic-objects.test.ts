import * as fs from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { openLocalEngine } from "../../../../src/git/engine/local-engine.ts";
import { openIsomorphicObjects } from "../../../../src/git/local/isomorphic-objects.ts";
import { countCalls, withoutOptimizer } from "../../../support/count-calls.ts";
import { createRepository, makeTempFolder } from "../../../support/git-repositories.ts";
import { realClock, realRandom } from "../../../support/real-time.ts";

withoutOptimizer();

it("unpacks nothing of the commit that it stored before", async () => {
  const folder = await makeTempFolder();
  onTestFinished(folder.remove);
  const repository = await createRepository(`${folder.path}/fleet.git`);
  const engine = await openLocalEngine({ path: repository.path, clock: realClock, random: realRandom });
  const author = { name: "Rollcall", email: "rollcall@example.org" };
  const commit = (parent: string | undefined, changes: ReadonlyMap<string, string>): Promise<string> =>
    engine.commitAndPush({ branch: "status", parent, changes, message: "status\n", author, committedAtMs: 0 });
  const first = await commit(
    undefined,
    new Map(Array.from({ length: 50 }, (_, index) => [`clusters/${index}.yaml`, "first"])),
  );
  const counts = await countCalls(() => commit(first, new Map([["clusters/7.yaml", "second"]])));
  const unpacked = [...counts].filter(([place, count]) => count > 0 && /loose-object\.ts parseObject/u.test(place));
  expect(unpacked).toEqual([]);
  await repository.assertSound();
});

it.each([[], ["gc", "-q"]])(
  "has an object, and gives it to one who takes so many bytes, after git %s",
  async (...command) => {
    const folder = await makeTempFolder();
    onTestFinished(folder.remove);
    const repository = await createRepository(`${folder.path}/fleet.git`);
    const commit = await repository.commit({ files: { a: "12345" } });
    if (command.length > 0) await repository.git(...command);
    const blob = (await repository.git("rev-parse", `${commit}:a`)).trim();
    const damaged = (): never => expect.fail("it is damaged");
    const objects = openIsomorphicObjects({ gitdirs: [repository.path], fs, damaged });
    expect(String((await objects.read(blob, 5)).content)).toBe("12345");
    await expect(objects.read(blob, 4)).rejects.toMatchObject({ code: "E_FILE_TOO_LARGE" });
    expect(await Promise.all([objects.has(blob), objects.has("0".repeat(40))])).toEqual([true, false]);
  },
);
