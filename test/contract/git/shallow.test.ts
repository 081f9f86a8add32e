import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openGitEngine } from "../../../src/git/engine/open-git-engine.ts";
import { startGitHttpServer } from "../../support/git-http-server.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { statusRequest } from "./http-fixture.ts";

it.each(["auto", "native"] as const)(
  "follows a mirror that becomes shallow, and is cut off anew at each commit, by the engine %s",
  async (backend) => {
    const { path: folder, remove } = await makeTempFolder();
    onTestFinished(remove);
    const origin = await createRepository(join(folder, "origin.git"));
    const mirror = await createRepository(join(folder, "mirror.git"));
    await mirror.git("config", "http.receivepack", "true");
    const server = await startGitHttpServer({ root: folder });
    onTestFinished(() => server.close());
    const engine = await openGitEngine({
      url: server.urlOf("mirror.git"),
      backend,
      cacheDir: join(folder, "cache"),
      isLocalAllowed: true,
      clock: realClock,
      random: realRandom,
    });
    onTestFinished(() => engine.close());
    let status: string | undefined;
    for (const depth of [10, 1, 1]) {
      const head = await origin.commit({ files: { [`depth-${depth}`]: status ?? "" } });
      await mirror.git("fetch", "--quiet", `--depth=${depth}`, `file://${origin.path}`, "+main:main");
      expect(await engine.fetchHead("main")).toBe(head);
      expect((await engine.listCommits({ to: head })).at(0)?.id).toBe(head);
      server.clearRequests();
      expect(await engine.fetchHead("main")).toBe(head);
      expect(server.requests.length).toBeLessThanOrEqual(2);
      status = await engine.commitAndPush(statusRequest(status, { a: head }));
      expect(await mirror.head("status")).toBe(status);
    }
  },
);
