import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeNativeGit } from "../../../../src/git/engine/native-git.ts";
import { isRunning } from "../../../support/is-running.ts";
import { makeTempFolder } from "../../../support/git-repositories.ts";

/** A program in the place of git, which starts another one and ends: so does git whose ssh stays behind. */
async function makeGit(script: string) {
  const { path: folder, remove } = await makeTempFolder();
  onTestFinished(remove);
  await writeFile(join(folder, "git"), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, "git"), 0o755);
  return { folder, git: makeNativeGit({ folder, protocol: "file", searchPath: `${folder}:/usr/bin:/bin` }) };
}

it("a run ends in time where git has ended and a program that it started has not", async () => {
  const { folder, git } = await makeGit("sleep 100000 & echo $! > started");
  await expect(git.run({ args: ["fetch"], timeoutMs: 300 })).rejects.toMatchObject({
    code: "E_GIT_REMOTE",
    data: { reason: "slow" },
  });
  const started = Number(await readFile(join(folder, "started"), "utf8"));
  await expect.poll(() => isRunning(started)).toBe(false);
});
