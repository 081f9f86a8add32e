import { spawn } from "node:child_process";
import { cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { ForgeProvider } from "../../src/forge/forge.ts";
import type { ForgeServer } from "../support/forge/forge-server.ts";
import { startForgeServer } from "../support/forge/forge-server.ts";
import { forgeRepository, forgeToken } from "../support/forge/forge-state.ts";
import { variantsOfRun } from "../support/full-counts.ts";
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

/** A script of a workflow, with the variables that its file gives to it. */
interface Line {
  readonly script: string;
  readonly shell?: "bash";
  readonly variables?: Readonly<Record<string, string>>;
}

interface Workflow {
  readonly file: string;
  readonly provider: ForgeProvider;
  readonly isInFullRun?: boolean;
  /** The scripts of the file, in order. */
  readonly lines: (text: string) => Line[];
  readonly environment: (place: { readonly server: ForgeServer; readonly head: string }) => Record<string, string>;
}

const workflowLines = (text: string): Line[] => {
  const { jobs } = parse(text) as { jobs: { review: { steps: { run?: string }[] } } };
  return jobs.review.steps.flatMap(({ run }) => (run === undefined ? [] : { script: run }));
};

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: {
    readonly steps: readonly { readonly run: string; readonly env: Readonly<Record<string, string>> }[];
  };
}

/** The steps of the Action for each of its commands, as the runner fills in what is in `${{ }}`. */
function actionLines(text: string): Line[] {
  return ["validate", "plan"].flatMap((command) => stepsOfAction(text, { command, token: forgeToken }));
}

function stepsOfAction(text: string, given: Readonly<Record<string, string>>): Line[] {
  const { inputs, runs } = parse(text) as Action;
  const valueOf = (name: string): string => {
    if (name === "github.action_path") return join(folder.path, "action");
    const input = name.replace("inputs.", "");
    return given[input] ?? inputs[input]?.default ?? `no input ${input}`;
  };
  return runs.steps.map(({ run, env }) => {
    // What a pull request chooses never becomes a part of a script.
    expect(run).not.toContain("${{");
    const filled = Object.entries(env).map(([name, value]) => [
      name,
      value.replace(/\$\{\{ (\S+) \}\}/gu, (_, variable: string) => valueOf(variable)),
    ]);
    return { script: run, shell: "bash", variables: Object.fromEntries(filled) as Record<string, string> };
  });
}

interface ComponentSpec {
  readonly spec: { readonly inputs: Readonly<Record<string, { readonly default?: string | boolean }>> };
}

interface ComponentJob {
  readonly script: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

/** The job of the component with the default of each input. */
function componentLines(text: string): Line[] {
  const [spec = "", jobs = ""] = text.split("\n---\n");
  const { inputs } = (parse(spec) as ComponentSpec).spec;
  const filled = jobs.replace(/\$\[\[ inputs\.(\S+) \]\]/gu, (_, name: string) => {
    expect(Object.keys(inputs)).toContain(name);
    return String(inputs[name]?.default ?? "rollcall");
  });
  const { script, variables } = (parse(filled) as { readonly rollcall: ComponentJob }).rollcall;
  return [{ script: script.join("\n"), variables }];
}

const actions = ({ server: { origin, apiUrl } }: { readonly server: ForgeServer }): Record<string, string> => ({
  GITHUB_ACTIONS: "true",
  GITHUB_SERVER_URL: origin,
  GITHUB_API_URL: apiUrl,
  GITHUB_REPOSITORY: forgeRepository,
  GITHUB_EVENT_PATH: join(folder.path, "event.json"),
});

function gitlab({ server: { origin, apiUrl }, head }: { readonly server: ForgeServer; readonly head: string }) {
  return {
    GITLAB_CI: "true",
    CI_PROJECT_URL: `${origin}/${forgeRepository}`,
    CI_API_V4_URL: apiUrl,
    CI_MERGE_REQUEST_IID: "5",
    CI_COMMIT_SHA: head,
  };
}

const workflows: readonly Workflow[] = [
  {
    file: "examples-repo/.github/workflows/fleet.yml",
    provider: "GitHub",
    lines: workflowLines,
    environment: actions,
  },
  {
    // It has the commands of the one before it; the forge has its contract tests.
    isInFullRun: true,
    file: "examples-repo/.gitea/workflows/fleet.yml",
    provider: "Gitea",
    lines: workflowLines,
    environment: (place) => ({ ...actions(place), GITEA_ACTIONS: "true" }),
  },
  {
    file: "examples-repo/.gitlab-ci.yml",
    provider: "GitLab",
    lines: (text) => [{ script: (parse(text) as { review: { script: string[] } }).review.script.join("\n") }],
    environment: gitlab,
  },
  { file: "action.yml", provider: "GitHub", lines: actionLines, environment: actions },
  { file: "templates/rollcall.yml", provider: "GitLab", lines: componentLines, environment: gitlab },
];

/** Runs a script as a workflow does, with `rollcall` on the path and in the folder of the Action. */
async function runLine(
  { script, shell, variables = {} }: Line,
  environment: Record<string, string>,
): Promise<{ code: number | null; text: string }> {
  const bin = join(folder.path, "bin");
  await mkdir(bin, { recursive: true });
  await symlink(join(root, "bin/rollcall.js"), join(bin, "rollcall")).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await mkdir(join(folder.path, "action"), { recursive: true });
  await writeFile(
    join(folder.path, "action/rollcall.mjs"),
    `import ${JSON.stringify(join(root, "bin/rollcall.js"))};\n`,
  );
  const path = `${bin}:${join(process.execPath, "..")}:${process.env["PATH"] ?? ""}`;
  const strict = shell === "bash" ? ["-e", "-o", "pipefail"] : ["-e"];
  const env = { HOME: folder.path, ...environment, ...variables, PATH: path };
  const child = spawn(shell ?? "sh", [...strict, "-c", script], { cwd: clone, env });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, text };
}

describe.each(variantsOfRun(workflows))("$file", ({ file, provider, lines, environment }) => {
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
    const text = await readFile(join(root, file), "utf8");
    for (const line of lines(text)) {
      const settings = { ...environment({ server, head }), ROLLCALL_FORGE_TOKEN: forgeToken };
      const result = await runLine(line, settings);
      expect(result, line.script).toMatchObject({ code: 0 });
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

it("plans without a token too, as for a pull request from a fork, and prints that nothing was written", async () => {
  const { code, text } = await runLine({ script: "rollcall plan --offline --comment" }, { GITHUB_ACTIONS: "true" });
  expect(code).toBe(0);
  expect(text).toContain("REMOVES 1 cluster");
  expect(text).toContain("the plan was not written to the pull request: ROLLCALL_FORGE_TOKEN is not set");
});

describe("action.yml", () => {
  const runAction = async (inputs: Readonly<Record<string, string>>) => {
    const text = await readFile(join(root, "action.yml"), "utf8");
    const results = [];
    for (const line of stepsOfAction(text, inputs)) results.push(await runLine(line, {}));
    return results;
  };

  it("passes arguments on as they are, one on each line, and runs in the folder that is named", async () => {
    const results = await runAction({ directory: "clusters", arguments: ".\n--severity\nW_STRAY;echo $(id)=off\n" });
    const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
    expect(results[0]).toEqual({ code: 0, text: `${version}\n` });
    expect(results[1]?.code).not.toBe(0);
    expect(results[1]?.text).toContain("W_STRAY;echo $(id)");
  });

  it("refuses every other command", async () => {
    const [, refused] = await runAction({ command: "run; id" });
    expect(refused).toEqual({
      code: 2,
      text: "::error::rollcall: command is validate or plan, not run; id\n",
    });
  });
});
