import { expect, it, onTestFinished } from "vitest";
import { openLocalEngine } from "../../../../src/git/engine/local-engine.ts";
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
