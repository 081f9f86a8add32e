import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openGitEngine } from "../../../src/git/engine/open-git-engine.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { findSshd, startSshGitServer } from "../../support/ssh-git-server.ts";
import { statusRequest } from "./http-fixture.ts";

const sshd = findSshd();
const withoutSshd = sshd === undefined ? " (skipped: no sshd on this machine)" : "";

it.skipIf(sshd === undefined).each([
  { format: "sha1", length: 40 },
  { format: "sha256", length: 64 },
])(`the first commit of an empty repository arrives over ssh: $format${withoutSshd}`, async ({ format, length }) => {
  const { path: folder, remove } = await makeTempFolder();
  onTestFinished(remove);
  const repository = await createRepository(join(folder, "fleet.git"), { objectFormat: format });
  const ssh = await startSshGitServer(sshd ?? "", join(folder, "sshd"));
  onTestFinished(() => ssh.close());
  const engine = await openGitEngine({
    url: ssh.urlOf(repository.path),
    ssh,
    cacheDir: join(folder, "cache"),
    clock: realClock,
    random: realRandom,
  });
  onTestFinished(() => engine.close());
  const id = await engine.commitAndPush(statusRequest(undefined, { a: "1" }));
  expect(id).toHaveLength(length);
  expect(await repository.head("status")).toBe(id);
});
