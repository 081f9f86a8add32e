import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeError } from "../../../src/core/errors.ts";
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
    const options = { kubeconfig: join(folder.path, "kubeconfig"), namespace: session.namespace };
    const note = "1 file in the work tree differs from commit";
    expect((await planWhereChecked(clone, options)).text).toContain(note);
    expect((await planWhereChecked(clone, { ...options, repo: session.repository.path })).text).not.toContain(note);
    const broken = join(folder.path, "clone-that-is-none");
    await mkdir(join(broken, ".git"), { recursive: true });
    expect((await planWhereChecked(broken, options)).text).toContain("The clone in this folder was not compared: ");
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
