import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildPack } from "../../../src/git/wire/pack-file.ts";
import { encodePacket, flushPacket } from "../../../src/git/wire/pkt-line.ts";
import type { TestRepository } from "../../support/git-repositories.ts";
import { setUpHttp, statusRequest } from "./http-fixture.ts";

const person = "Test <test@example.org> 1800000000 +0000";
const flush = Buffer.from(flushPacket, "latin1");

/** A branch at an object that git itself would not let anybody push there. */
async function pointBranch(repository: TestRepository, id: string): Promise<void> {
  await writeFile(join(repository.path, "refs", "heads", "main"), `${id}\n`);
}

async function storeObject(repository: TestRepository, type: string, content: string): Promise<string> {
  return (await repository.gitWithInput(content, "hash-object", "-t", type, "-w", "--stdin")).trim();
}

async function treeOf(repository: TestRepository, commit: string): Promise<string> {
  return (await repository.git("rev-parse", `${commit}^{tree}`)).trim();
}

const notCommits: readonly {
  readonly reason: string;
  readonly store: (repository: TestRepository, first: string) => Promise<string>;
}[] = [
  { reason: "a file", store: (repository) => storeObject(repository, "blob", "x") },
  { reason: "a folder", store: treeOf },
  {
    reason: "a tag",
    store: (repository, first) =>
      storeObject(repository, "tag", `object ${first}\ntype commit\ntag x\ntagger ${person}\n\nx\n`),
  },
  {
    reason: "a commit with more than 1 MiB of headers, which anybody may push",
    store: async (repository, first) => {
      const headers = `x ${"y".repeat(1000)}\n`.repeat(1100);
      const parts = [`tree ${await treeOf(repository, first)}`, `author ${person}`, `committer ${person}`, headers];
      return storeObject(repository, "commit", `${parts.join("\n")}\nmessage\n`);
    },
  },
];

describe("a branch that once was at what is no readable commit", () => {
  it.each(notCommits)("A120 is read again when it is at a commit: $reason", async ({ store }) => {
    const { repository, open } = await setUpHttp();
    const first = await repository.commit({ files: { a: "1" } });
    const before = await open();
    expect(await before.fetchHead("main")).toBe(first);
    await pointBranch(repository, await store(repository, first));
    for (let round = 0; round < 3; round++)
      await expect(before.fetchHead("main")).rejects.toMatchObject({ code: "E_GIT_OBJECT" });
    await pointBranch(repository, first);
    const second = await repository.commit({ files: { a: "2" } });
    expect(await before.fetchHead("main")).toBe(second);
    expect(await before.listFiles(second)).toHaveLength(1);
    await before.close();
    expect(await (await open()).fetchHead("main")).toBe(second);
  });

  it("A120 is read when commits are on top of it", async () => {
    const { repository, open } = await setUpHttp();
    const first = await repository.commit({ files: { a: "1" } });
    const engine = await open();
    await engine.fetchHead("main");
    const huge = (await notCommits[3]?.store(repository, first)) ?? "";
    await pointBranch(repository, huge);
    await expect(engine.fetchHead("main")).rejects.toMatchObject({ code: "E_GIT_OBJECT" });
    const tree = await treeOf(repository, first);
    for (let above = huge, count = 0; count < 2; count++) {
      above = (await repository.git("commit-tree", tree, "-p", above, "-m", `${count}`)).trim();
      await pointBranch(repository, above);
      expect(await engine.fetchHead("main")).toBe(above);
    }
  });
});

describe("a pack that has a commit and not its folders", () => {
  it("A121 is refused, and all is fetched again when the server sends all", async () => {
    const { repository, server, open } = await setUpHttp();
    await repository.commit({ files: { "clusters/a": "1" } });
    const engine = await open();
    await engine.fetchHead("main");
    const second = await repository.commit({ files: { "clusters/a": "2" } });
    const commit = Buffer.from(await repository.git("cat-file", "commit", second));
    const band = Buffer.concat([Buffer.from([1]), buildPack([{ type: "commit", content: commit }])]);
    const body = Buffer.concat([encodePacket("packfile\n"), encodePacket(band), flush]);
    let posts = 0;
    server.setFault(({ method }) =>
      method === "POST" && ++posts === 2
        ? { kind: "answer", contentType: "application/x-git-upload-pack-result", body }
        : undefined,
    );
    const root = await treeOf(repository, second);
    await expect(engine.fetchHead("main")).rejects.toMatchObject({
      code: "E_GIT_PROTOCOL",
      message: `read ${server.urlOf("fleet.git")}: it sent a commit without its folder ${root}`,
    });
    expect(await engine.fetchHead("main")).toBe(second);
    expect((await engine.listFiles(second)).map(({ path }) => path)).toEqual(["clusters/a"]);
  });
});

describe("a list of refs that ends early", () => {
  const service = encodePacket("# service=git-upload-pack\n");
  const ofAnother = encodePacket(`${"1".repeat(40)} refs/heads/another\0side-band-64k\n`);
  it.each([
    { reason: "nothing at all", body: Buffer.alloc(0) },
    { reason: "its first line alone", body: service },
    { reason: "no refs", body: Buffer.concat([service, flush]) },
    { reason: "some refs, in version 1", body: Buffer.concat([service, flush, ofAnother]) },
    { reason: "some capabilities, in version 2", body: Buffer.concat([service, flush, encodePacket("version 2\n")]) },
  ])("A122 is not taken for a repository without the branch: $reason", async ({ body }) => {
    const { repository, server, open } = await setUpHttp();
    await repository.commit({ files: { a: "1" } });
    const engine = await open();
    const contentType = "application/x-git-upload-pack-advertisement";
    server.setFault(({ method }) => (method === "GET" ? { kind: "answer", contentType, body } : undefined));
    const failure = {
      code: "E_GIT_PROTOCOL",
      message: expect.stringContaining("the list of refs ends early") as string,
    };
    await expect(engine.fetchHead("main")).rejects.toMatchObject(failure);
    await expect(engine.listBranches()).rejects.toMatchObject(failure);
  });

  it.each([
    { reason: "nothing at all", body: Buffer.alloc(0) },
    { reason: "another branch", body: encodePacket(`${"1".repeat(40)} refs/heads/main-2\n`) },
  ])("A122 is not taken for a deleted branch where each ref is asked for: $reason", async ({ body }) => {
    const { repository, server, open } = await setUpHttp();
    await repository.commit({ files: { a: "1" } });
    const engine = await open();
    await engine.fetchHead("main");
    const contentType = "application/x-git-upload-pack-result";
    server.setFault(({ method }) => (method === "POST" ? { kind: "answer", contentType, body } : undefined));
    const failure = {
      code: "E_GIT_PROTOCOL",
      message: expect.stringContaining("the list of refs ends early") as string,
    };
    await expect(engine.fetchHead("main")).rejects.toMatchObject(failure);
    await expect(engine.listBranches()).rejects.toMatchObject(failure);
  });

  it("A122 is not taken for a deleted branch by a push", async () => {
    const { repository, server, open } = await setUpHttp();
    const first = await repository.commit({ branch: "old", files: { a: "1" } });
    const engine = await open();
    await engine.fetchHead("old");
    const contentType = "application/x-git-receive-pack-advertisement";
    const body = Buffer.concat([encodePacket("# service=git-receive-pack\n"), flush]);
    server.setFault(({ method }) => (method === "GET" ? { kind: "answer", contentType, body } : undefined));
    await expect(engine.deleteBranch("old", first)).rejects.toMatchObject({ code: "E_GIT_PROTOCOL" });
    expect(await repository.head("old")).toBe(first);
  });

  it("is complete without a ref, as older servers list those of an empty repository", async () => {
    const { server, open } = await setUpHttp();
    const contentType = "application/x-git-upload-pack-advertisement";
    server.setFault(() => ({ kind: "answer", contentType, body: Buffer.concat([service, flush, flush]) }));
    expect(await (await open()).fetchHead("main")).toBeUndefined();
  });
});

describe("a report on a push", () => {
  it.each([
    { reason: "of another ref", line: "ok refs/heads/another\n" },
    { reason: "of a ref whose name begins the same", line: "ok refs/heads/status-2\n" },
    { reason: "of none", line: "option forced-update\n" },
  ])("A122 is no success $reason", async ({ line }) => {
    const { repository, server, open } = await setUpHttp();
    const engine = await open();
    const report = Buffer.concat([Buffer.from([1]), encodePacket("unpack ok\n"), encodePacket(line), flush]);
    const body = Buffer.concat([encodePacket(report), flush]);
    const contentType = "application/x-git-receive-pack-result";
    server.setFault(({ method }) => (method === "POST" ? { kind: "answer", contentType, body } : undefined));
    await expect(engine.commitAndPush(statusRequest(undefined, { a: "1" }))).rejects.toMatchObject({
      code: "E_GIT_PUSH_DENIED",
    });
    server.setFault(undefined);
    const pushed = await engine.commitAndPush(statusRequest(undefined, { a: "1" }));
    expect(await repository.head("status")).toBe(pushed);
  });
});
