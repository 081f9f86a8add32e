import { mkdtemp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { PlanRun } from "../../support/run-plan.ts";
import { runPlanOf } from "../../support/run-plan.ts";
import { startPullRequestWorkflow } from "../../support/forge/pull-request-workflow.ts";
import { startForgeServer } from "../../support/forge/forge-server.ts";
import { startGitHttpServer } from "../../support/git-http-server.ts";
import type { CommandSession } from "./command-session.ts";
import { openCommandSession } from "./command-session.ts";

const ruleFile =
  "apiVersion: rollcall.dev/v1alpha1\nkind: ClusterLabels\nmetadata: {name: all}\nspec: {selector: {}, labels: {tier: gold}}\n";
const fileOf = (name: string) => `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}}\n`;

describe("an option of rollcall plan, or a variable that it reads, takes effect", () => {
  let commands: CommandSession;
  let base: string;
  let head: string;
  beforeAll(async () => {
    commands = await openCommandSession(fileOf("c1"));
    const { repository } = commands.session;
    base = (await repository.git("rev-parse", "main")).trim();
    head = await repository.commit({ branch: "next", from: base, files: { "c2.yaml": fileOf("c2") } });
  });
  afterAll(() => commands.close());

  const ofNext = () => ({ offline: true, base, branch: "next" });
  const plan = (run: PlanRun = {}) => runPlanOf(commands.session.repository.path, run);
  const onHub = (options: Readonly<Record<string, string | boolean>>) => {
    const { kubeconfig, session } = commands;
    return plan({ options: { kubeconfig, namespace: session.namespace, branch: "next", output: "json", ...options } });
  };

  it("--repo and --branch: they name what is planned", async () => {
    expect((await plan({ options: ofNext() })).text).toContain(`commit ${head.slice(0, 7)}`);
  });

  it("--detailed-exitcode: changes have a code of their own", async () => {
    expect(await plan({ options: ofNext() })).toMatchObject({ code: 0 });
    expect(await plan({ options: { ...ofNext(), "detailed-exitcode": true } })).toMatchObject({ code: 4 });
  });

  it("--base: the rules of another commit are compared on the hub, too", async () => {
    const { repository } = commands.session;
    const ruled = await repository.commit({ branch: "ruled", from: head, files: { "rule.yaml": ruleFile } });
    const selectedBefore = async (from: string): Promise<unknown> => {
      const { text } = await onHub({ branch: "ruled", base: from });
      return (JSON.parse(text) as { readonly selectors: readonly { readonly before: number }[] }).selectors;
    };
    expect(await selectedBefore(head)).toMatchObject([{ before: 0 }]);
    expect(await selectedBefore(ruled)).toMatchObject([{ before: 1 }]);
  });

  it("--no-dry-run: the hub is not asked to check each object", async () => {
    const basisOf = ({ text }: { readonly text: string }) => (JSON.parse(text) as { readonly basis: object }).basis;
    expect(basisOf(await onHub({}))).toMatchObject({ dryRun: true });
    expect(basisOf(await onHub({ "dry-run": false }))).not.toHaveProperty("dryRun");
  });

  it("--cache-dir: the copy of a repository elsewhere is kept there", async () => {
    const { path } = commands.session.repository;
    const server = await startGitHttpServer({ root: join(path, "..") });
    onTestFinished(() => server.close());
    const cache = join(await mkdtemp(join(commands.folder, "cache-")), "copies");
    const url = server.urlOf(path.split("/").at(-1) ?? "");
    await runPlanOf(url, { options: { ...ofNext(), base, "cache-dir": cache }, environment: { HOME: "/nonexistent" } });
    expect(await readdir(cache)).not.toEqual([]);
    const refused = (options: Readonly<Record<string, string>>) =>
      runPlanOf(url, { options: { ...ofNext(), "cache-dir": cache, ...options } });
    await expect(refused({ commit: head.slice(0, 12) })).rejects.toMatchObject({ code: "E_USAGE" });
    await expect(refused({ branch: "missing" })).rejects.toMatchObject({
      code: "E_GIT_BRANCH_MISSING",
      message: expect.stringContaining("it does not exist; the repository has main") as string,
    });
  });

  it("--comment, with ROLLCALL_FORGE_TOKEN and GITHUB_EVENT_PATH: the plan is written to the pull request", async () => {
    const server = await startForgeServer("GitHub");
    onTestFinished(() => server.stop());
    const environment = await startPullRequestWorkflow(server, { folder: commands.folder, head });
    await plan({ options: ofNext(), environment });
    expect(server.state.comments).toEqual([]);
    const { errorText } = await plan({ options: { ...ofNext(), comment: true }, environment });
    expect(errorText).toBe("the comment of pull request 5 was created\n");
    expect(server.state.comments).toHaveLength(1);
  });
});
