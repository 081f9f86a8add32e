import { expect, it } from "vitest";
import { undeclaredAt } from "../../simulation/fleet-files.ts";
import { createGitObjects } from "../../simulation/git-objects.ts";

it("an approval covers each removed cluster, also one that has no agent, and one of a commit that was forced away", () => {
  const objects = createGitObjects();
  const push = (parents: string[], changes: readonly [string, string | null][]): string =>
    objects.commit({
      parents,
      changes: new Map(changes),
      message: "m",
      author: { name: "Person", email: "person@example.com" },
      committedAtMs: 0,
    });
  const first = push(
    [],
    ["a", "b", "c"].map((name) => [`clusters/${name}.yaml`, name]),
  );
  push([first], [["clusters/forced-away.yaml", "d"]]);
  const head = push(
    [first],
    [
      ["clusters/a.yaml", null],
      ["clusters/moved/b.yaml", "b"],
      ["clusters/b.yaml", null],
    ],
  );
  expect([...undeclaredAt({ remote: { objects } }, head)].sort()).toEqual(["a", "forced-away"]);
});
