import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openGitEngine } from "../../../src/git/engine/open-git-engine.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { failureOf, setUpHttp, statusRequest } from "./http-fixture.ts";

/** For each back-end, which POST of a read of a new branch asks for the pack: the others list refs. */
const packRequests = { isomorphic: 2, native: 3 } as const;

/** A repository whose branch `stranger` gets no pack until `endWait`, and an engine that waits for it. */
async function waitForStranger(backend: keyof typeof packRequests) {
  const { folder, repository, server } = await setUpHttp();
  const engine = await openGitEngine({
    url: server.urlOf("fleet.git"),
    cacheDir: join(folder, "beside"),
    isLocalAllowed: true,
    backend: backend === "native" ? "native" : "auto",
    clock: realClock,
    random: realRandom,
    // Where all wait for the pack, they do so for no longer.
    timeouts: { responseMs: 20_000 },
  });
  onTestFinished(() => engine.close());
  const first = await repository.commit({ files: { a: "1" } });
  await engine.fetchHead("main");
  await repository.commit({ branch: "stranger", from: first, files: { large: "2" } });
  let posts = 0;
  const ending = new AbortController();
  let stranger: Promise<Error> | undefined;
  let isWaiting = true;
  await new Promise<void>((asked) => {
    server.setFault(({ method }) => {
      if (method !== "POST" || ++posts !== packRequests[backend]) return undefined;
      asked();
      return { kind: "hang" };
    });
    stranger = failureOf(engine.fetchHead("stranger", ending.signal)).finally(() => (isWaiting = false));
  });
  const endWait = async (): Promise<Error | undefined> => {
    ending.abort(new Error("enough"));
    return stranger;
  };
  return { engine, repository, server, endWait, isWaiting: () => isWaiting };
}

describe.each(["isomorphic", "native"] as const)("while the pack of one branch does not arrive (%s)", (backend) => {
  it("A115 the main branch is read, its files too, and the status is pushed", async () => {
    const { engine, repository, endWait, isWaiting } = await waitForStranger(backend);
    const second = await repository.commit({ files: { a: "3" } });
    expect(await engine.fetchHead("main")).toBe(second);
    expect((await engine.listFiles(second)).map(({ path }) => path)).toEqual(["a"]);
    const pushed = await engine.commitAndPush(statusRequest(undefined, { "summary.yaml": "1" }));
    expect(await repository.head("status")).toBe(pushed);
    expect([...(await engine.listBranches()).keys()].sort()).toEqual(["main", "status", "stranger"]);
    expect(isWaiting()).toBe(true);
    expect((await endWait())?.message).toContain("enough");
    // What it asked for is read in the next round, and nothing of the others was lost.
    expect(await engine.fetchHead("stranger")).toBe(await repository.head("stranger"));
    expect(await engine.fetchHead("main")).toBe(second);
    await repository.assertSound();
  });

  it("reads of one branch at the same time all succeed, and ask for its pack once", async () => {
    const { engine, repository, server, endWait } = await waitForStranger(backend);
    await endWait();
    server.setFault(undefined);
    const third = await repository.commit({ files: { a: "4" } });
    server.clearRequests();
    expect(await Promise.all([1, 2, 3, 4].map(() => engine.fetchHead("main")))).toEqual(Array(4).fill(third));
    const posts = server.requests.filter(({ method }) => method === "POST").length;
    expect(posts).toBe(packRequests[backend] + 3);
  });
});
