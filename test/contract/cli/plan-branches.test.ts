import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { describeError } from "../../../src/core/errors.ts";
import { startGitHttpServer } from "../../support/git-http-server.ts";
import { makeTempFolder, runGit } from "../../support/git-repositories.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { planWhereChecked, runPlanOf } from "../../support/run-plan.ts";
import { until } from "../../support/until.ts";
import type { DaemonSession } from "../daemon/daemon-session.ts";
import { openDaemonSession } from "../daemon/daemon-session.ts";

const cluster = (name: string): string =>
  `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}}\n`;

describe("rollcall plan of a Repository with branches of its own", () => {
  let session: DaemonSession;
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  beforeAll(async () => {
    folder = await makeTempFolder();
    const hub = await readyHub();
    await writeFile(join(folder.path, "kubeconfig"), hub.kubeconfig);
    session = await openDaemonSession(hub);
    const start = await session.repository.commit({ files: { "a.yaml": cluster("a") } });
    await session.startDaemon({ spec: { ref: { branch: "main" }, writeBack: { branch: "observed" } } });
    await session.settle();
    await until(
      () => session.repository.head("observed"),
      (head) => head !== undefined,
    );
    await session.repository.commit({ branch: "next", from: start, files: { "b.yaml": cluster("b") } });
  });
  afterAll(async () => {
    await session.close();
    await folder.remove();
  });

  const plan = async (options: Readonly<Record<string, string | boolean>>): Promise<string> =>
    (await runPlanOf(session.repository.path, { options })).text;

  it("compares with the records of the branch that --status-branch names", async () => {
    expect(await plan({ offline: true, "status-branch": "observed", branch: "next" })).toContain("creates 1 cluster");
    await expect(plan({ offline: true, branch: "next" })).rejects.toMatchObject({
      code: "E_GIT_BRANCH_MISSING",
      message: expect.stringContaining("rollcall/status") as string,
    });
  });

  it("is made in a clone of one branch, once the fetch that the message names was typed", async () => {
    const clone = join(folder.path, "clone-of-main");
    await runGit(folder.path, ["clone", "-q", "--single-branch", "--branch", "main", session.repository.path, clone]);
    const offline = { offline: true, "status-branch": "observed" };
    const refused = await planWhereChecked(clone, offline).then(({ text }) => text, describeError);
    const named = /\((?<command>git fetch .*?)\)/u.exec(refused)?.groups?.["command"] ?? "";
    await runGit(clone, named.split(" ").slice(1));
    expect((await planWhereChecked(clone, offline)).text).toContain("nothing changes");
  });

  it("is made in a folder of a work tree as in its root", async () => {
    const clone = join(folder.path, "clone-with-folders");
    await runGit(folder.path, ["clone", "-q", session.repository.path, clone]);
    await mkdir(join(clone, "docs"));
    const { text } = await planWhereChecked(join(clone, "docs"), { offline: true, "status-branch": "observed" });
    expect(text).toContain("(the commit that is checked out)");
    expect(text).toContain("nothing changes");
  });

  it("A198 reads no tag that has the name of the status branch, or of the branch to plan", async () => {
    const clone = join(folder.path, "clone-with-tags");
    await runGit(folder.path, ["clone", "-q", session.repository.path, clone]);
    for (const name of ["observed", "next", "origin/main"]) await runGit(clone, ["tag", name, "origin/main"]);
    const { text } = await planWhereChecked(clone, { offline: true, "status-branch": "observed", branch: "next" });
    expect(text).toContain("creates 1 cluster");
    expect(text).toMatch(/Commit \w+ is not on next of origin|head of branch next/u);
  });

  it("on the hub, names what the current folder has besides, where the plan is of what is pushed from there", async () => {
    const clone = join(folder.path, "clone-with-edits");
    await runGit(folder.path, ["clone", "-q", session.repository.path, clone]);
    await writeFile(join(clone, "a.yaml"), `${cluster("a")}spec: {paused: true}\n`);
    await mkdir(join(clone, "docs/old"), { recursive: true });
    const options = { kubeconfig: join(folder.path, "kubeconfig"), namespace: session.namespace };
    const note = "1 file in the work tree differs from commit";
    for (const dir of [clone, join(clone, "docs/old")])
      expect((await planWhereChecked(dir, options)).text, dir).toContain(note);
    expect((await planWhereChecked(clone, { ...options, repo: session.repository.path })).text).not.toContain(note);
    const broken = join(folder.path, "clone-that-is-none");
    await mkdir(join(broken, ".git"), { recursive: true });
    expect((await planWhereChecked(broken, options)).text).toContain("The clone in this folder was not compared: ");
  });

  describe("with --commit", () => {
    const onHub = () => ({ kubeconfig: join(folder.path, "kubeconfig"), namespace: session.namespace });
    const creates = expect.stringContaining("creates 1 cluster") as string;
    let next: string;
    beforeAll(async () => {
      next = (await session.repository.head("next")) ?? "";
    });

    it("in a clone is of a commit of the clone, which need not be pushed, by any of its names", async () => {
      const clone = join(folder.path, "clone-ahead");
      await runGit(folder.path, ["clone", "-q", session.repository.path, clone]);
      await runGit(clone, ["checkout", "-q", "-b", "mine"]);
      await mkdir(join(clone, "docs"));
      await writeFile(join(clone, "c.yaml"), cluster("c"));
      await runGit(clone, ["add", "c.yaml"]);
      await runGit(clone, ["commit", "-qm", "not pushed"]);
      const id = (await runGit(clone, ["rev-parse", "HEAD"])).trim();
      for (const commit of ["HEAD", "mine", id, id.slice(0, 12), "next", "origin/next", next])
        expect(await planWhereChecked(clone, { ...onHub(), commit }), commit).toMatchObject({ text: creates });
      expect(await planWhereChecked(join(clone, "docs"), { ...onHub(), commit: "HEAD" })).toMatchObject({
        text: creates,
      });
      const { text } = await planWhereChecked(clone, { ...onHub(), commit: "HEAD", base: "HEAD~1" });
      expect(text).toContain(`Compares commit ${id.slice(0, 12)} with the hub`);
      await expect(planWhereChecked(clone, { ...onHub(), commit: "none" })).rejects.toThrow(/^find none in \.: /u);
      await runGit(clone, ["config", "extensions.partialClone", "origin"]);
      expect(await planWhereChecked(clone, { ...onHub(), commit: next })).toMatchObject({ text: creates });
    });

    it("in a clone of something else, or a folder that is no clone, is of the repository that the hub names", async () => {
      const other = join(folder.path, "other");
      await runGit(folder.path, ["init", "-q", "-b", "next", other]);
      await runGit(other, ["commit", "-q", "--allow-empty", "-m", "of another repository"]);
      const broken = join(folder.path, "broken");
      await mkdir(join(broken, ".git"), { recursive: true });
      for (const dir of [other, broken, folder.path])
        expect(await planWhereChecked(dir, { ...onHub(), commit: "next" }), dir).toMatchObject({ text: creates });
    });

    it.each([
      ["on the hub", () => onHub()],
      ["offline", () => ({ offline: true, "status-branch": "observed" })],
    ])(
      "is of a pushed commit of a repository elsewhere, %s, which nothing was fetched of before",
      async (_where, given) => {
        const { path } = session.repository;
        const server = await startGitHttpServer({ root: dirname(path) });
        onTestFinished(() => server.close());
        let copies = 0;
        const planOf = (commit: string, base?: string) => {
          copies += 1;
          const cache = join(folder.path, `${_where} ${copies}`);
          const options = { ...given(), commit, "cache-dir": cache, ...(base === undefined ? {} : { base }) };
          return runPlanOf(server.urlOf(basename(path)), { options });
        };
        const main = (await session.repository.head("main")) ?? "";
        expect(await planOf(next)).toMatchObject({ text: creates });
        expect(await planOf(next, main)).toMatchObject({ text: creates });
        expect((await planOf(main)).text).toContain("nothing changes");
        expect((await planOf(main, next)).text).toContain(`commit ${next.slice(0, 12)} is the base`);
        const absent = "0123456789".repeat(4);
        await expect(planOf(absent)).rejects.toMatchObject({
          code: "E_GIT_OBJECT",
          message: `find commit 012345678901 in ${server.urlOf(basename(path))}: branch main does not have it, and no other branch is at it`,
        });
      },
    );
  });

  it("is of the branch that --branch names, on the hub and offline, else of the one that the hub follows", async () => {
    const kubeconfig = join(folder.path, "kubeconfig");
    const offline = { offline: true, "status-branch": "observed" };
    const linesOf = async (given: Readonly<Record<string, string>>): Promise<string[]> => {
      const onHub = await plan({ kubeconfig, namespace: session.namespace, ...given });
      const ofFolder = await plan({ ...offline, ...given });
      const { text: here } = await planWhereChecked(session.repository.path, { ...offline, ...given });
      const isReported = (line: string): boolean => /Compares|creates/u.test(line);
      return [onHub, ofFolder, here].map((text) => text.split("\n").filter(isReported).join(" "));
    };
    for (const line of await linesOf({ branch: "next" })) {
      expect(line).toContain("(head of branch next)");
      expect(line).toContain("creates 1 cluster");
    }
    const [onHub, ofFolder, here] = await linesOf({});
    expect(onHub).toContain("(head of branch main)");
    expect(ofFolder).toContain("(head of branch main)");
    expect(here).toContain("(the commit that is checked out)");
  });
});
