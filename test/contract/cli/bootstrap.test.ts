import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runBootstrap } from "../../../src/cli/commands/bootstrap.ts";
import { publicKeyOf } from "../../../src/bootstrap/deploy-key.ts";
import { textAt } from "../../../src/core/read-json.ts";
import type { ForgeProvider } from "../../../src/forge/forge.ts";
import { answerJson } from "../../support/forge/forge-server.ts";
import { forgeToken } from "../../support/forge/forge-state.ts";
import type { HostingForge } from "../../support/forge/hosting-forge.ts";
import { startHostingForge } from "../../support/forge/hosting-forge.ts";
import { forgeServerKey, forgeSshUrl } from "../../support/forge/setup-routes.ts";
import { makeTempFolder, runGit } from "../../support/git-repositories.ts";
import { findHelm, noHelmReason, renderChart } from "../../support/helm.ts";
import { runCommand } from "../../support/plain-context.ts";
import { parse } from "yaml";

let folder: Awaited<ReturnType<typeof makeTempFolder>>;
let forge: HostingForge | undefined;
let out: string;

beforeEach(async () => {
  folder = await makeTempFolder();
  out = join(folder.path, "out");
  await writeFile(join(folder.path, "known_hosts"), "ssh.example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5\n");
});
afterEach(async () => {
  await forge?.stop();
  forge = undefined;
  await folder.remove();
});

async function start(provider: ForgeProvider, isThere = false): Promise<HostingForge> {
  await mkdir(join(folder.path, "forge"));
  forge = await startHostingForge(join(folder.path, "forge"), { provider, isThere });
  return forge;
}

/** Runs the command against the forge; `text` also has what it printed before it failed. */
async function run({ repositoryUrl, api, url }: HostingForge, options: Record<string, string | boolean> = {}) {
  let text = "";
  const kind = { GitHub: "github", GitLab: "gitlab", Gitea: "gitea", Forgejo: "gitea" }[api.provider];
  const result = await runCommand("bootstrap", runBootstrap, {
    args: [kind, repositoryUrl],
    options: {
      dir: out,
      "api-url": `${url}${new URL(api.apiUrl).pathname}`,
      ...(api.provider === "GitHub" ? {} : { "known-hosts-file": join(folder.path, "known_hosts") }),
      ...options,
    },
    environment: { ROLLCALL_FORGE_TOKEN: forgeToken, XDG_CACHE_HOME: join(folder.path, "cache") },
    onText: (part) => (text += part),
  }).then(
    ({ code }) => ({ code, error: "" }),
    (error: unknown) => ({
      code: undefined,
      error: [textAt(error, "code"), String(error), textAt(error, "remedy")].join(" "),
    }),
  );
  expect(text + result.error).not.toContain(forgeToken);
  expect(text + result.error).not.toContain("PRIVATE KEY");
  return { ...result, text, lines: text.split("\n").filter((line) => /^(?:created|unchanged|would add)/u.test(line)) };
}

const states = (lines: readonly string[]) => lines.map((line) => line.split(/ {2,}/u).slice(0, 2).join(" "));
const readOut = (name: string): Promise<string> => readFile(join(out, name), "utf8");
const pushed = (): Promise<string> =>
  runGit(join(folder.path, "forge/acme/fleet.git"), ["ls-tree", "-r", "--name-only", "main"]);
const writes = ({ api }: HostingForge) => api.lines().filter((line) => !line.startsWith("GET"));

const allCreated = ["repository", "secret", "deploy key", "commit", "values"].map((name) => `created ${name}`);
const allThere = allCreated.map((line) => line.replace("created", "unchanged"));
const workflows = {
  GitHub: ".github/workflows/fleet.yml",
  GitLab: ".gitlab-ci.yml",
  Gitea: ".gitea/workflows/fleet.yml",
  Forgejo: ".gitea/workflows/fleet.yml",
} satisfies Record<ForgeProvider, string>;

describe.each<ForgeProvider>(["GitHub", "GitLab", "Gitea", "Forgejo"])("rollcall bootstrap at %s", (provider) => {
  it("makes repository, key, commit, Secret and values, and a second run finds all of it", async () => {
    const served = await start(provider);
    const first = await run(served);
    expect(first.error).toBe("");
    expect(states(first.lines)).toEqual(allCreated);
    expect((await pushed()).split("\n")).toEqual(expect.arrayContaining([workflows[provider], "README.md"]));
    expect(await pushed()).not.toMatch(/^(?:clusters|tokens)\//mu);

    const secret: unknown = parse(await readOut("git-secret.yaml"));
    const identity = textAt(secret, "stringData", "identity") ?? "";
    expect(served.api.state.deployKeys).toMatchObject([{ key: publicKeyOf(identity, "secret"), isWriter: true }]);
    expect((await stat(join(out, "git-secret.yaml"))).mode & 0o777).toBe(0o600);
    expect(textAt(secret, "stringData", "known_hosts")).toBe(
      provider === "GitHub"
        ? `ssh.example.com ${forgeServerKey}\n`
        : "ssh.example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5\n",
    );
    expect(parse(await readOut("values.yaml"))).toMatchObject({
      options: { repo: forgeSshUrl, branch: "main" },
      git: { secretName: textAt(secret, "metadata", "name"), hasSsh: true },
      workspaces: ["fleet"],
    });

    const before = [await readOut("git-secret.yaml"), await readOut("values.yaml"), writes(served).length];
    const second = await run(served);
    expect(states(second.lines)).toEqual(allThere);
    expect([await readOut("git-secret.yaml"), await readOut("values.yaml"), writes(served).length]).toEqual(before);
  });

  it("changes nothing in a dry run, and prints each step", async () => {
    const served = await start(provider);
    const planned = await run(served, { "dry-run": true });
    expect(planned.error).toBe("");
    expect(states(planned.lines)).toEqual(allCreated.map((line) => line.replace("created", "would add")));
    expect(planned.text).toContain("Nothing was changed.");
    expect(writes(served)).toEqual([]);
    await expect(stat(out)).rejects.toThrow("ENOENT");
  });

  it.each([
    { step: "making the repository", after: 0 },
    { step: "adding the deploy key", after: 1 },
  ])("resumes after the token had no right when $step", async ({ after }) => {
    const served = await start(provider);
    let refused = 0;
    served.api.refuseWrites = (response) => {
      if (refused++ < after) return false;
      answerJson(response, { status: 403, json: { message: "Resource not accessible by personal access token" } });
      return true;
    };
    const failed = await run(served);
    expect(failed.error).toContain("E_FORGE_FORBIDDEN");
    served.api.refuseWrites = undefined;
    const resumed = await run(served);
    expect(resumed.error).toBe("");
    expect(states(resumed.lines).filter((line) => line.startsWith("unchanged"))).toHaveLength(after * 2);
    expect(served.api.state.deployKeys).toHaveLength(1);
    expect(states((await run(served)).lines)).toEqual(allThere);
  });

  it("names the forge's reason when the name is taken by what the token may not see", async () => {
    const served = await start(provider, true);
    served.api.state.isHidden = true;
    const failed = await run(served);
    expect(failed.error).toMatch(/E_FORGE_REFUSED.*(?:already exists|already been taken)/u);
    await expect(stat(out)).rejects.toThrow("ENOENT");
  });

  it("refuses a deploy key that may only read, and names the remedy", async () => {
    const served = await start(provider);
    await run(served);
    served.api.state.deployKeys = served.api.state.deployKeys.map((key) => ({ ...key, isWriter: false }));
    expect((await run(served)).error).toMatch(/E_FORGE_REFUSED.*may only read; delete it at the forge/u);
  });

  it("refuses an archived repository before it gets a key that cannot push", async () => {
    const served = await start(provider, true);
    served.api.state.repositorySettings = { archived: true };
    for (const isDryRun of [true, false]) {
      expect((await run(served, { "dry-run": isDryRun })).error).toMatch(
        /E_FORGE_REFUSED.*acme\/fleet: it is archived/u,
      );
    }
    expect(served.api.state.deployKeys).toEqual([]);
    await expect(stat(out)).rejects.toThrow("ENOENT");
  });

  it("makes no second root beside a default branch of another name", async () => {
    const served = await start(provider, true);
    served.api.state.repositorySettings = { default_branch: "master" };
    await commitFile("clusters.yaml", "master");
    for (const isDryRun of [true, false]) {
      expect((await run(served, { "dry-run": isDryRun })).error).toMatch(
        /E_USAGE.*has no branch main.*give --branch master/u,
      );
    }
    expect([...served.api.state.branches.keys()]).toEqual(["master"]);
    expect(states((await run(served, { branch: "master" })).lines).slice(3)).toEqual([
      "unchanged commit",
      "created values",
    ]);
  });
});

async function commitFile(name: string, branch = "main"): Promise<void> {
  const clone = join(folder.path, "clone");
  await mkdir(clone, { recursive: true });
  await runGit(clone, ["init", "-q"]);
  await writeFile(join(clone, name), "mine\n");
  await runGit(clone, ["add", "-A"]);
  await runGit(clone, ["-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-qm", name]);
  await runGit(clone, ["push", "-q", join(folder.path, "forge/acme/fleet.git"), `HEAD:${branch}`]);
}

describe("rollcall bootstrap", () => {
  it("leaves a branch with files of its own alone, and adds to what a forge puts there", async () => {
    const served = await start("Gitea", true);
    await commitFile("main.go");
    expect(states((await run(served)).lines)).toContain("unchanged commit");
    await runGit(join(folder.path, "clone"), ["rm", "-q", "main.go"]);
    await commitFile("README.md");
    expect(states((await run(served)).lines)).toContain("created commit");
    expect(await runGit(join(folder.path, "forge/acme/fleet.git"), ["show", "main:README.md"])).toBe("mine\n");
  });

  it("gives the daemon a token of its own in place of a key", async () => {
    const served = await start("GitLab");
    await writeFile(join(folder.path, "token"), "t0ken-of-the-daemon\n");
    const made = await run(served, { "daemon-token-file": join(folder.path, "token") });
    expect(made.text).not.toContain("t0ken-of-the-daemon");
    expect(states(made.lines)).toEqual(allCreated.filter((line) => line !== "created deploy key"));
    expect(textAt(parse(await readOut("git-secret.yaml")), "stringData", "token")).toBe("t0ken-of-the-daemon\n");
    expect(parse(await readOut("values.yaml"))).toMatchObject({ options: { repo: served.repositoryUrl } });
    expect(served.api.state.deployKeys).toEqual([]);
    const second = await run(served, { "daemon-token-file": join(folder.path, "token") });
    expect([second.error, ...states(second.lines)]).toEqual(["", ...allThere.filter((line) => !/key/u.test(line))]);
    await writeFile(join(folder.path, "token"), "another\n");
    const other = await run(served, { "daemon-token-file": join(folder.path, "token") });
    expect(other.error).toMatch(/E_USAGE.*is not for this token/u);
  });

  it.each(["", " \n", "two lines\nof it"])("refuses the daemon's token %j before anything is made", async (token) => {
    const served = await start("GitLab");
    await writeFile(join(folder.path, "token"), token);
    const { error } = await run(served, { "daemon-token-file": join(folder.path, "token") });
    expect(error).toContain("E_USAGE");
    expect(served.api.state.isThere).toBe(false);
  });

  it("asks for the keys of an ssh server that no API has, before anything is made", async () => {
    const served = await start("Gitea");
    expect((await run(served, { "known-hosts-file": join(folder.path, "none") })).error).toContain("E_USAGE");
    await writeFile(join(folder.path, "none"), "\n");
    expect((await run(served, { "known-hosts-file": join(folder.path, "none") })).error).toContain("ssh-keyscan");
    expect(served.api.state.isThere).toBe(false);
  });

  it("refuses keys of another ssh server: the daemon could not read the repository by its Secret", async () => {
    const served = await start("Gitea");
    await writeFile(join(folder.path, "known_hosts"), "[ssh.example.com]:2222 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5\n");
    expect((await run(served)).error).toMatch(
      /E_USAGE.*known-hosts-file has no key of ssh\.example\.com.*ssh-keyscan/u,
    );
    expect(served.api.state.deployKeys).toEqual([]);
    await expect(stat(out)).rejects.toThrow("ENOENT");
  });

  it("gives no key of one repository to another one, whose values would stay those of the first", async () => {
    const served = await start("Gitea");
    await mkdir(out);
    await writeFile(join(out, "values.yaml"), "options:\n  repo: ssh://git@ssh.example.com/acme/other.git\n");
    expect((await run(served)).error).toMatch(/E_USAGE.*values\.yaml is for repository acme\/other, not acme\/fleet/u);
    expect(served.api.state.isThere).toBe(false);
    await writeFile(join(out, "values.yaml"), "options:\n  repo: https://git.example.com/mirror/Acme/Fleet\n");
    expect((await run(served)).error).toBe("");
  });

  it("prints how to get a new key where the forge has the key elsewhere", async () => {
    const served = await start("Gitea");
    await run(served);
    served.api.state.deployKeys = [];
    served.api.refuseWrites = (response) => {
      answerJson(response, { status: 422, json: { message: "Key content has been used as non-deploy key" } });
      return true;
    };
    const { error } = await run(served);
    expect(error).toMatch(/E_FORGE_REFUSED.*used as non-deploy key/u);
    expect(error).toContain("the next run makes a new key");
  });

  it("writes no key into a work tree of git", async () => {
    const served = await start("GitHub");
    await runGit(folder.path, ["init", "-q", "tree"]);
    expect((await run(served, { dir: join(folder.path, "tree/out") })).error).toContain("is in a work tree of git");
    expect(served.api.state.isThere).toBe(false);
  });

  it("pushes to a git server without an API, whose daemon gets a token", async () => {
    const served = await start("Gitea", true);
    await writeFile(join(folder.path, "token"), "t0ken-of-the-daemon\n");
    const context = {
      args: ["git", served.repositoryUrl],
      environment: { ROLLCALL_FORGE_TOKEN: forgeToken, XDG_CACHE_HOME: join(folder.path, "cache") },
    };
    const withKey = runCommand("bootstrap", runBootstrap, { ...context, options: { dir: out } });
    await expect(withKey).rejects.toThrow(/needs --daemon-token-file/u);
    const options = { dir: out, "daemon-token-file": join(folder.path, "token") };
    const { text } = await runCommand("bootstrap", runBootstrap, { ...context, options });
    expect(text).toMatch(/^created +secret/mu);
    expect(await pushed()).toContain("README.md");
    expect(await pushed()).not.toContain("fleet.yml");
    expect(served.api.calls).toEqual([]);
  });

  it.each([
    {
      args: ["gitub", "a/b"],
      reason: /forge is gitub; it can be github, gitlab, gitea, git \(did you mean github\?\)/u,
    },
    { args: ["gitea", "acme/fleet"], reason: /needs the address of the repository, such as https/u },
    { args: ["git", "fleet"], reason: /such as ssh:/u },
    { args: ["github", "git@github.com:a/b.git"], reason: /needs the https address/u },
    { args: ["git", "http://git.example.com/fleet"], reason: /name its https address/u },
    { args: ["gitea", "http://git.example.com/acme/fleet"], reason: /name its https address/u },
    { args: ["github", "https://t0ken@github.com/acme/fleet"], reason: /it carries a user name/u },
    { args: ["git", "ssh://git@git.example.com/"], reason: /only https and ssh addresses/u },
    { args: ["github", "acme/fleet"], reason: /needs a token: set ROLLCALL_FORGE_TOKEN, or give --token-file/u },
  ])("refuses $args", async ({ args, reason }) => {
    await expect(runCommand("bootstrap", runBootstrap, { args, options: { dir: out } })).rejects.toThrow(reason);
  });

  it("reports an unreachable forge, and makes nothing", async () => {
    const served = await start("GitHub");
    await served.stop();
    forge = undefined;
    expect((await run(served)).error).toContain("E_FORGE_UNREACHABLE");
    await expect(stat(out)).rejects.toThrow("ENOENT");
  });

  it("heeds --branch, --workspace, --namespace, --image, --hub-url, --token-file and --api-url", async () => {
    const served = await start("GitLab");
    const tokenFile = join(folder.path, "forge-token");
    await writeFile(tokenFile, `${forgeToken}\n`);
    const wrong = { "token-file": join(folder.path, "known_hosts") };
    expect((await run(served, wrong)).error).toContain("E_FORGE_AUTH");
    expect((await run(served, { "api-url": "http://127.0.0.1:1/api/v4" })).error).toContain("E_FORGE_UNREACHABLE");
    const made = await run(served, {
      "token-file": tokenFile,
      branch: "trunk",
      workspace: "edge",
      namespace: "hub-system",
      image: "registry.example.com/rollcall:1",
      "hub-url": "https://hub.example.com:6443",
    });
    expect(made.error).toBe("");
    expect(made.text).toContain("kubectl create namespace hub-system");
    expect(textAt(parse(await readOut("git-secret.yaml")), "metadata", "namespace")).toBe("hub-system");
    expect(parse(await readOut("values.yaml"))).toMatchObject({
      options: { branch: "trunk" },
      workspaces: ["edge"],
      hub: { url: "https://hub.example.com:6443" },
      image: { repository: "registry.example.com/rollcall", tag: "1" },
    });
    const repository = join(folder.path, "forge/acme/fleet.git");
    expect(await runGit(repository, ["show", "trunk:.gitlab-ci.yml"])).toContain("registry.example.com/rollcall:1 #");
    expect(await runGit(repository, ["show", "trunk:README.md"])).toContain("workspace `edge`");
  });

  it("leaves no key at the forge whose private part is lost, when several run at once", async () => {
    const served = await start("GitHub", true);
    await Promise.all([1, 2, 3, 4].map(() => run(served)));
    expect((await run(served)).error).toBe("");
    const identity = textAt(parse(await readOut("git-secret.yaml")), "stringData", "identity") ?? "";
    const kept = publicKeyOf(identity, "secret");
    expect(served.api.state.deployKeys.map(({ key }) => key).filter((key) => key !== kept)).toEqual([]);
  });

  it("refuses an image that would be something else in the workflow, before anything is made", async () => {
    const served = await start("GitHub");
    const refused = await run(served, { image: "rollcall\n      options: --privileged" });
    expect(refused.error).toMatch(/E_USAGE.*--image .* is no image/u);
    expect(served.api.state.isThere).toBe(false);
  });

  it("resumes after the push was refused", async () => {
    const served = await start("GitHub");
    const locked = await run(served, { branch: "refused.lock" });
    expect(locked.error).not.toBe("");
    expect(locked.text).toContain("run the same command again");
    expect(states((await run(served)).lines)).toEqual([
      "unchanged repository",
      "unchanged secret",
      "unchanged deploy key",
      "created commit",
      "created values",
    ]);
  });

  it.skipIf(findHelm() === undefined)(`writes values that the chart takes (${noHelmReason})`, async () => {
    const served = await start("GitHub");
    await run(served, { "hub-url": "https://hub.example.com:6443", image: "registry.example.com:5000/rollcall:1.2.3" });
    const valuesFile = join(out, "values.yaml");
    const objects = await renderChart({ chart: "rollcall", namespace: "rollcall-system", valuesFile });
    const deployment = JSON.stringify(objects.find(({ kind }) => kind === "Deployment"));
    expect(deployment).toContain('"registry.example.com:5000/rollcall:1.2.3"');
    expect(deployment).toContain('{"name":"git","secret":{"secretName":"rollcall-git"');
    expect(deployment).toContain(`{"name":"ROLLCALL_REPO","value":"${forgeSshUrl}"}`);
    expect(deployment).toContain('"ROLLCALL_GIT_SSH_KEY_FILE"');
  });
});
