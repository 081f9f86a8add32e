import { describe, expect, it } from "vitest";
import type { BootstrapOptions } from "../../../src/bootstrap/bootstrap-options.ts";
import { valuesFile } from "../../../src/bootstrap/installation-values.ts";
import { githubKey, openSetup, shown } from "./setup.ts";

const archived = { sshUrl: "git@github.com:acme/fleet.git", defaultBranch: "main", isArchived: true };
const byToken: Partial<BootstrapOptions> = { access: { kind: "token", token: "t" } };

describe("bootstrap of a repository at a forge", () => {
  it("makes all that is missing, and finds it in the next run", async () => {
    const { run, state } = openSetup();
    const first = await run();
    const [key = ""] = state.keys.map(({ title }) => title);
    expect(shown(first)).toEqual([
      "created repository: acme/Fleet, private",
      "created secret: out/git-secret.yaml",
      `created deploy key: ${key}`,
      "created commit: 222222222222, 2 files on main",
      "created values: out/values.yaml",
    ]);
    expect(state.written.get(valuesFile)).toContain('repo: "git@github.com:acme/fleet.git"');
    state.branches.set("main", ["README.md", "clusters/README.md"]);
    expect(shown(await run())).toEqual([
      "unchanged repository: acme/Fleet",
      "unchanged secret: out/git-secret.yaml",
      `unchanged deploy key: ${key}`,
      "unchanged commit: main stays at 111111111111",
      "unchanged values: out/values.yaml",
    ]);
    expect([state.keys.length, state.commits.length]).toEqual([1, 1]);
  });

  it("gives no key of one repository to another one, after a run that was stopped before it wrote the values", async () => {
    const { run, state } = openSetup();
    await run();
    state.written.delete(valuesFile);
    const { host } = openSetup().options;
    const url = "https://github.com/acme/other";
    await expect(run({ url, host: host && { ...host, repository: "acme/other" } })).rejects.toThrow(
      "out/git-secret.yaml is for repository acme/fleet, not acme/other",
    );
    expect(state.keys).toHaveLength(1);
    expect(shown(await run()).at(-1)).toBe("created values: out/values.yaml");
  });

  it("makes no branch that the values do not name, which the daemon would not follow", async () => {
    const { run, state } = openSetup();
    await run();
    await expect(run({ branch: "prod" })).rejects.toMatchObject({
      code: "E_USAGE",
      message: "out/values.yaml is for branch main, not prod: give --branch main, or write the new branch there",
    });
    expect([state.commits.length, state.keys.length]).toEqual([1, 1]);
    state.written.set(valuesFile, state.written.get(valuesFile)?.replace('branch: "main"', 'branch: "prod"') ?? "");
    expect(shown(await run({ branch: "prod" })).at(-1)).toBe("unchanged values: out/values.yaml");
  });

  it("needs no deploy key and no ssh address with a token", async () => {
    const { run, state } = openSetup();
    expect(shown(await run(byToken))).toEqual([
      "created repository: acme/Fleet, private",
      "created secret: out/git-secret.yaml",
      "created commit: 222222222222, 2 files on main",
      "created values: out/values.yaml",
    ]);
    expect(state.keys).toEqual([]);
    expect(state.written.get(valuesFile)).toContain('repo: "https://github.com/acme/fleet"');
    expect(state.written.get("git-secret.yaml")).not.toContain("known_hosts");
  });

  it.each([
    { isThere: false, access: {}, repository: "planned", commit: "2 files on main" },
    { isThere: true, access: {}, repository: "unchanged", commit: "1 file on main" },
    { isThere: true, access: byToken, repository: "unchanged", commit: "1 file on main" },
  ])("changes nothing in a dry run, of a repository that is there: $isThere", async (row) => {
    const { run, state } = openSetup();
    if (row.isThere) {
      state.repository = { ...archived, isArchived: false };
      state.branches.set("main", ["README.md"]);
    }
    const steps = await run({ ...row.access, isDryRun: true });
    expect(steps.map(({ name, state: what }) => `${what} ${name}`)).toEqual([
      `${row.repository} repository`,
      "planned secret",
      ...("access" in row.access ? [] : ["planned deploy key"]),
      "planned commit",
      "planned values",
    ]);
    expect(steps.find(({ name }) => name === "commit")?.message).toBe(row.commit);
    const address = "access" in row.access ? "https://github.com/acme/fleet" : archived.sshUrl;
    expect(steps.at(-1)?.details).toContain(
      `  repo: "${row.isThere ? address : "(the ssh address that the forge gives)"}"`,
    );
    expect(steps.at(-1)?.details?.at(-1)).not.toBe("");
    expect([state.keys, state.commits, state.written.size, state.repository?.isArchived]).toEqual([
      [],
      [],
      0,
      row.isThere ? false : undefined,
    ]);
  });

  it.each([true, false])("uses no archived repository, in a dry run: %s", async (isDryRun) => {
    const { run, state } = openSetup();
    state.repository = archived;
    await expect(run({ isDryRun })).rejects.toMatchObject({
      code: "E_FORGE_REFUSED",
      message: "use repository acme/Fleet: it is archived, and takes no commit",
    });
    expect(state.written.size).toBe(0);
  });

  it("gives the commit to the branch that the forge names, or none", async () => {
    const { run, state } = openSetup();
    state.repository = { ...archived, isArchived: false, defaultBranch: "trunk" };
    state.branches.set("trunk", ["a"]);
    await expect(run()).rejects.toMatchObject({ code: "E_USAGE" });
  });

  it.each([
    { repo: "git@github.com:acme/fleet.git", isRefused: false },
    { repo: "https://git.example/forge/ACME/fleet", isRefused: false },
    { repo: "git@github.com:acme/other.git", isRefused: true },
    { repo: "git@github.com:xacme/fleet.git", isRefused: true },
    { repo: "git@github.com:acme/fleet-2.git", isRefused: true },
  ])("refuses a folder with values for $repo: $isRefused", async ({ repo, isRefused }) => {
    const { run, state } = openSetup();
    state.written.set(valuesFile, `options:\n  repo: ${repo}\n`);
    if (isRefused) {
      await expect(run()).rejects.toMatchObject({
        code: "E_USAGE",
        message: expect.stringContaining("not acme/fleet") as string,
      });
      expect([state.repository, state.keys]).toEqual([undefined, []]);
    } else {
      expect((await run()).at(-1)).toEqual({
        name: "values",
        state: "unchanged",
        message: "out/values.yaml",
        details: ["it differs from what this run would write, and is kept"],
      });
      expect(state.written.get(valuesFile)).toBe(`options:\n  repo: ${repo}\n`);
    }
  });

  it.each([
    { how: "has another token", first: byToken, second: { access: { kind: "token", token: "u" } } as const },
    { how: "has a token and no key", first: byToken, second: {} },
    {
      how: "is for another namespace",
      first: {},
      second: { choices: { namespace: "other", workspace: "fleet", hubUrl: undefined, image: undefined } },
    },
  ])("refuses a folder whose Secret $how, before the forge is asked", async ({ first, second }) => {
    const { run, state } = openSetup();
    await run(first);
    const before = new Map(state.written);
    state.repository = undefined;
    await expect(run(second)).rejects.toMatchObject({ code: "E_USAGE" });
    expect([state.repository, state.written]).toEqual([undefined, before]);
  });

  it.each([
    { place: "--known-hosts-file", isSecond: false },
    { place: "known_hosts in out/git-secret.yaml", isSecond: true },
  ])(
    "refuses keys of another ssh server before the forge gets a key, and names $place",
    async ({ place, isSecond }) => {
      const { run, state } = openSetup();
      if (isSecond) await run();
      const keys = state.keys.length;
      if (isSecond)
        state.repository = { ...archived, isArchived: false, sshUrl: "git@elsewhere.example:acme/fleet.git" };
      const knownHosts = githubKey.replace("github.com", "other.example");
      const running = run(isSecond ? {} : { access: { kind: "key", knownHosts } });
      await expect(running).rejects.toMatchObject({
        code: "E_USAGE",
        message: expect.stringContaining(place) as string,
      });
      expect(state.keys).toHaveLength(keys);
    },
  );

  it("refuses a file in the place of the Secret that is none", async () => {
    const { run, state } = openSetup();
    state.written.set("git-secret.yaml", "kind: ConfigMap\n");
    await expect(run()).rejects.toMatchObject({
      code: "E_USAGE",
      message: "out/git-secret.yaml is no Secret of an earlier run: name another --dir",
    });
    expect([state.repository, state.keys]).toEqual([undefined, []]);
  });

  it("reports values that another run wrote meanwhile as unchanged", async () => {
    const { run, options } = openSetup();
    const write = (name: string, text: string) =>
      name === valuesFile ? Promise.resolve(false) : options.folder.write(name, text);
    expect((await run({ folder: { ...options.folder, write } })).at(-1)?.state).toBe("unchanged");
  });
});

describe("a dry run at a git server", () => {
  const ssh = { host: undefined, url: "git@github.com:acme/fleet.git" };

  it.each([
    { reason: "with a token", before: undefined, more: { host: undefined, ...byToken } },
    {
      reason: "with the key of an earlier run",
      before: { ...ssh, access: { kind: "key", knownHosts: githubKey } as const },
      more: { ...ssh, access: { kind: "key", knownHosts: githubKey } as const },
    },
  ])("plans what the branch lacks, since it is reached $reason", async ({ before, more }) => {
    const { run, state } = openSetup();
    if (before !== undefined) await run(before);
    state.branches.set("main", ["README.md"]);
    const steps = await run({ ...more, isDryRun: true });
    expect(steps.find(({ name }) => name === "commit")).toMatchObject({ state: "planned", message: "1 file on main" });
  });
});
