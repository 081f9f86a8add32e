import { access, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createPodLogs } from "../../../src/embedded-node/pod-logs.ts";
import { realClock } from "../../support/real-time.ts";
import { until } from "../../support/until.ts";

it("the logs of a container are those of its last two runs, and the files of an older one are deleted", async () => {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-logs-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const logs = createPodLogs(folder, realClock, 1000);
  const files: string[] = [];
  for (const [container, run] of [
    ["a", 0],
    ["b", 0],
    ["a", 1],
    ["a", 2],
  ] as const) {
    const log = logs.open(container, run);
    await log.end();
    for (const file of [log.path, `${log.path}.1`]) {
      await writeFile(file, "");
      files.push(file);
    }
  }
  const isThere = (file: string) =>
    access(file).then(
      () => true,
      () => false,
    );
  const left = async () => {
    const found = await Promise.all(files.map(isThere));
    return files.filter((_, index) => found[index]);
  };
  const kept = files.filter((file) => !file.includes(join("a", "0.log")));
  expect(await until(left, (seen) => seen.length === kept.length)).toEqual(kept);
  expect(logs.of("a").map(({ path }) => path)).toEqual([join(folder, "a", "1.log"), join(folder, "a", "2.log")]);
  expect(logs.of("none")).toEqual([]);
});
