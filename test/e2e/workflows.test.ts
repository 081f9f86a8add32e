import { spawn } from "node:child_process";
import { cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { ForgeProvider } from "../../src/forge/forge.ts";
import type { ForgeServer } from "../support/forge/forge-server.ts";
import { startForgeServer } from "../support/forge/forge-server.ts";
import { forgeRepository, forgeToken } from "../support/forge/forge-state.ts";
import { createRepository, makeTempFolder, runGit } from "../support/git-repositories.ts";

const root = join(import.meta.dirname, "../..");
const author = ["-c", "user.name=Test", "-c", "user.email=test@example.org"];

let folder: { path: string; remove: () => Promise<void> };
let clone: string;
let server: ForgeServer | undefined;

/** A fleet repository with a status branch, a pull request that removes a cluster, and a clone as a workflow has it. */
beforeEach(async () => {
  folder = await makeTempFolder();
  const origin = join(folder.path, "origin.git");
  await createRepository(origin);
  clone = join(folder.path, "clone");
  await runGit(folder.path, ["clone", "-q", origin, clone]);
  await cp(join(root, "examples-repo"), clone, { recursive: true });
  const commit = async (message: string): Promise<string> => {
    await runGit(clone, ["add", "-A"]);
    await runGit(clone, [...author, "commit", "-qm", message]);
    return (await runGit(clone, ["rev-parse", "HEAD"])).trim();
  };
  await runGit(clone, ["checkout", "-q", "-b", "main"]);
  const applied = await commit("start");
  await runGit(clone, ["push", "-q", "origin", "main"]);
  await runGit(clone, ["checkout", "-q", "--orphan", "rollcall/status"]);
  await runGit(clone, ["rm", "-rfq", "."]);
  await mkdir(join(clone, "clusters/fleet"), { recursive: true });
  await writeFile(join(clone, "summary.yaml"), summary(applied));
  for (const [name, env] of Object.entries({ "prod-eu-1": "prod", "staging-eu-1": "staging", "dev-us-1": "dev" })) {
    await writeFile(join(clone, `clusters/fleet/${name}.yaml`), record(name, env));
  }
  await commit("status");
  await runGit(clone, ["push", "-q", "origin", "rollcall/status"]);
  await runGit(clone, ["checkout", "-q", "-b", "change", "main"]);
  await runGit(clone, ["branch", "-qD", "rollcall/status"]);
  await rm(join(clone, "clusters/prod/prod-eu-1.yaml"));
  await rm(join(clone, "rules/labels.yaml"));
  await rm(join(clone, "groups/production.yaml"));
  await commit("remove production");
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
  await folder.remove();
});

function summary(applied: string): string {
  return `apiVersion: rollcall.dev/v1alpha1\nkind: FleetSummary\nmetadata: {name: fleet}\nobservedCommit: ${applied}\nappliedCommit: ${applied}\nrepository: {namespace: rollcall-system, name: fleet, branch: main}\ncounts: {clusters: 3}\n`;
}

function record(name: string, env: string): string {
  return `apiVersion: rollcall.dev/v1alpha1\nkind: ClusterRecord\nmetadata: {name: ${name}, namespace: fleet}\nprotocol: rollcall\nlabels:\n  env: {value: ${env}, owner: File}\n`;
}

interface Workflow {
  readonly file: string;
  readonly provider: ForgeProvider;
  /** The shell lines of the file, in order. */
  readonly lines: (text: string) => string[];
  readonly environment: (place: { readonly server: ForgeServer; readonly head: string }) => Record<string, string>;
}

const actionLines = (text: string): string[] => {
  const { jobs } = parse(text) as { jobs: { review: { steps: { run?: string }[] } } };
  return jobs.review.steps.flatMap(({ run }) => run ?? []);
};

const actions = ({ server: { origin, apiUrl } }: { readonly server: ForgeServer }): Record<string, string> => ({
  GITHUB_ACTIONS: "true",
  GITHUB_SERVER_URL: origin,
  GITHUB_API_URL: apiUrl,
  GITHUB_REPOSITORY: forgeRepository,
  GITHUB_EVENT_PATH: join(folder.path, "event.json"),
});

const workflows: readonly Workflow[] = [
  { file: ".github/workflows/fleet.yml", provider: "GitHub", lines: actionLines, environment: actions },
  {
    file: ".gitea/workflows/fleet.yml",
    provider: "Gitea",
    lines: actionLines,
    environment: (place) => ({ ...actions(place), GITEA_ACTIONS: "true" }),
  },
  {
    file: ".gitlab-ci.yml",
    provider: "GitLab",
    lines: (text) => [(parse(text) as { review: { script: string[] } }).review.script.join("\n")],
    environment: ({ server: { origin, apiUrl }, head }) => ({
      GITLAB_CI: "true",
      CI_PROJECT_URL: `${origin}/${forgeRepository}`,
      CI_API_V4_URL: apiUrl,
      CI_MERGE_REQUEST_IID: "5",
      CI_COMMIT_SHA: head,
    }),
  },
];

/** Runs a line as a workflow does, with `rollcall` on the path. */
async function runLine(
  line: string,
  environment: Record<string, string>,
): Promise<{ code: number | null; text: string }> {
  const bin = join(folder.path, "bin");
  await mkdir(bin, { recursive: true });
  await symlink(join(root, "bin/rollcall.js"), join(bin, "rollcall")).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  const path = `${bin}:${join(process.execPath, "..")}:${process.env["PATH"] ?? ""}`;
  const child = spawn("sh", ["-e", "-c", line], { cwd: clone, env: { HOME: folder.path, ...environment, PATH: path } });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, text };
}

describe.each(workflows)("examples-repo/$file", ({ file, provider, lines, environment }) => {
  it("checks, plans and writes the plan to the pull request, removals first", async () => {
    server = await startForgeServer(provider);
    const head = (await runGit(clone, ["rev-parse", "HEAD"])).trim();
    server.state.commits.push(head);
    server.state.pulls.push({
      number: 5,
      title: "Remove production",
      body: "",
      head: "change",
      headCommit: head,
      base: "main",
      isOpen: true,
      isDraft: false,
      headRepositoryId: 1,
    });
    await writeFile(
      join(folder.path, "event.json"),
      JSON.stringify({ number: 5, pull_request: { number: 5, head: { sha: head } } }),
    );
    const text = await readFile(join(root, "examples-repo", file), "utf8");
    for (const line of lines(text)) {
      const settings = { ...environment({ server, head }), ROLLCALL_FORGE_TOKEN: forgeToken };
      const result = await runLine(line, settings);
      expect(result, line).toMatchObject({ code: 0 });
      expect(result.text).not.toContain(forgeToken);
    }
    const [comment] = server.state.comments;
    expect(comment?.body).toContain("**🛑 This removes 1 cluster");
    expect(comment?.body).toContain("<code>fleet&#47;prod&#45;eu&#45;1</code>");
    expect(server.state.statuses).toMatchObject([
      { commit: head, context: "rollcall/rollcall-system.fleet", state: "success" },
    ]);
  });
});

it("plans without a token too, as for a pull request from a fork, and says that nothing was written", async () => {
  const { code, text } = await runLine("rollcall plan --offline --comment", { GITHUB_ACTIONS: "true" });
  expect(code).toBe(0);
  expect(text).toContain("REMOVES 1 cluster");
  expect(text).toContain("the plan was not written to the pull request: ROLLCALL_FORGE_TOKEN is not set");
});
