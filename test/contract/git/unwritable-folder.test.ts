import { chmod } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { expect, it, onTestFinished } from "vitest";
import { openFleetRepository } from "../../../src/demo/up-fleet-repository.ts";
import { makeTempFolder } from "../../support/git-repositories.ts";

// Root may write everywhere.
it.skipIf(process.getuid?.() === 0)("names what to do about a repository in a folder that takes no files", async () => {
  const folder = await makeTempFolder();
  onTestFinished(folder.remove);
  const repository = await openFleetRepository(join(folder.path, "fleet.git"), undefined);
  onTestFinished(() => repository.git.close());
  await repository.addFiles(new Map([["a", "1"]]), "First\n");
  const objects = join(repository.path, "objects");
  await chmod(objects, 0o555);
  onTestFinished(() => chmod(objects, 0o755));
  const push = repository.addFiles(new Map([["a", "2"]]), "Second\n");
  await expect(push).rejects.toMatchObject({
    code: "E_GIT_PUSH_DENIED",
    remedy: "Let this user write to the folder of the repository.",
  });
});
