import { mkdirSync, rmdirSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { FolderWatch } from "../../../../src/git/local/watch-folders.ts";
import { makeTempFolder } from "../../../support/git-repositories.ts";

let root = "";

beforeEach(async () => {
  const made = await makeTempFolder();
  root = made.path;
  return made.remove;
});

interface Watched {
  readonly watch: FolderWatch;
  readonly errors: unknown[];
  /** Does the work, and resolves at the next event. */
  readonly eventOf: (work: () => unknown) => Promise<void>;
}

function watched(): Watched {
  const errors: unknown[] = [];
  let onEvent = (): void => undefined;
  const watch = new FolderWatch({ onEvent: () => onEvent(), onError: (error) => errors.push(error) });
  onTestFinished(() => watch.close());
  const eventOf = async (work: () => unknown): Promise<void> => {
    const event = new Promise<void>((resolve) => (onEvent = resolve));
    await work();
    await event;
  };
  return { watch, errors, eventOf };
}

it("reports which folders are new, and each change in any", async () => {
  const below = join(root, "below");
  await mkdir(below);
  const { watch, eventOf } = watched();
  expect([watch.follow([root]), watch.follow([root])]).toEqual([true, false]);
  expect([watch.follow([root, below]), watch.follow([root, below])]).toEqual([true, false]);
  await eventOf(() => writeFile(join(root, "a"), ""));
  await eventOf(() => writeFile(join(below, "a"), ""));
  expect([watch.follow([root]), watch.follow([root, below])]).toEqual([false, true]);
});

it("watches a folder again that was deleted and made again at once", async () => {
  const below = join(root, "below");
  mkdirSync(below);
  const { watch, eventOf } = watched();
  watch.follow([below]);
  for (let count = 0; count < 3; count++) {
    await eventOf(() => (rmdirSync(below), mkdirSync(below)));
    expect(watch.follow([below])).toBe(true);
    await eventOf(() => mkdirSync(join(below, "a")));
    await eventOf(() => rmdirSync(join(below, "a")));
  }
});

it("leaves out a folder that is not there", async () => {
  const { watch, errors, eventOf } = watched();
  expect([watch.follow([join(root, "none")]), watch.follow([root, join(root, "none")])]).toEqual([false, true]);
  await eventOf(() => mkdir(join(root, "none")));
  expect([watch.follow([root, join(root, "none")]), errors]).toEqual([true, []]);
});

it("reports a folder that cannot be watched once, until it is left out", () => {
  const { watch, errors } = watched();
  const path = join(root, "a".repeat(300));
  expect([watch.follow([root, path]), watch.follow([root, path])]).toEqual([true, false]);
  expect(errors).toMatchObject([{ code: "ENAMETOOLONG" }]);
  watch.follow([root]);
  watch.follow([root, path]);
  expect(errors).toHaveLength(2);
});

it("makes no event once it is closed", async () => {
  const [first, second] = [watched(), watched()];
  let calls = 0;
  first.watch.follow([root]);
  second.watch.follow([root]);
  void first.eventOf(() => undefined).then(() => calls++);
  first.watch.close();
  await second.eventOf(() => rm(root, { recursive: true }));
  expect(calls).toBe(0);
});
