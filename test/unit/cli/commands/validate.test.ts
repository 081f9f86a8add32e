import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ValidateOptions } from "../../../../src/cli/commands/validate.ts";
import { runValidate, runValidateCommand } from "../../../../src/cli/commands/validate.ts";
import { readSeverities } from "../../../../src/cli/render/problem-severities.ts";
import { readSettings } from "../../../../src/settings/read-settings.ts";
import type { Problem } from "../../../../src/model/problem.ts";
import { runGit } from "../../../support/git-repositories.ts";
import { createRandomFleet } from "../../../support/random-fleet.ts";

const golden = join(import.meta.dirname, "../../manifests/golden");
const good = "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata:\n  name: eu-1\n";

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "validate-"));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function validate(options: Partial<ValidateOptions> = {}): Promise<{ code: number; text: string }> {
  let text = "";
  const code = await runValidate({ dir, isColour: false, out: (part) => (text += part), ...options });
  return { code, text };
}

function write(path: string, content: string): void {
  mkdirSync(join(dir, path, ".."), { recursive: true });
  writeFileSync(join(dir, path), content);
}

describe("runValidate", () => {
  it("prints every problem of a bad repository at its line, with what to do", async () => {
    cpSync(join(golden, "bad-repository"), dir, { recursive: true });
    write("clusters/large.yaml", "a".repeat(5_000_000));
    symlinkSync("/etc/passwd", join(dir, "clusters/link.yaml"));
    const { code, text } = await validate();
    expect(code).toBe(1);
    await expect(text).toMatchFileSnapshot(join(golden, "bad-repository.txt"));
    expect(text).not.toContain("hunter2");
  });

  it("ends 0 with a summary for good files, warnings or not", async () => {
    write("a/eu-1.yaml", good);
    expect(await validate()).toEqual({ code: 0, text: "1 cluster in 1 file: no problems\n" });
    write("a/group.yaml", "apiVersion: fleet.cattle.io/v1alpha1\nkind: GitRepo\nmetadata: {name: a}\n");
    const { code, text } = await validate();
    expect(code).toBe(0);
    expect(text).toMatch(
      /^a\/group\.yaml:2:7 W_IGNORED_KIND warning: .*\n {4}2 .*\n.*\^\n {4}fix: .*\n1 cluster in 1 file: 1 warning in 1 file\n$/u,
    );
  });

  it("refuses a bare repository, in which it would check no file, and writes nothing to it", async () => {
    await runGit(dir, ["init", "--quiet", "--bare"]);
    await expect(validate()).rejects.toThrow(`${dir} is a repository of git without a work tree`);
    expect(existsSync(join(dir, "rollcall"))).toBe(false);
  });

  it("reports that a folder has nothing of a fleet, and what to do next", async () => {
    expect((await validate()).text).toMatch(/^no document of a fleet in 0 files: .*\nNext: .* rollcall init FOLDER\n/u);
    write("chart/values.yaml", "replicas: 3\n");
    expect((await validate()).text).toMatch(/^no document of a fleet in 1 file: no problems\nNext: /u);
    write("eu-1.yaml", good);
    expect((await validate()).text).not.toContain("Next:");
  });

  it("reports in words why the folder cannot be read", async () => {
    await expect(validate({ dir: join(dir, "missing") })).rejects.toThrow(/^read .*missing: it is not there$/u);
    write("file.yaml", good);
    await expect(validate({ dir: join(dir, "file.yaml") })).rejects.toMatchObject({ code: "E_READ" });
  });

  describe("with files that are named", () => {
    async function validateNamed(...paths: string[]): Promise<{ code: number; text: string }> {
      let text = "";
      const code = await runValidateCommand({
        settings: readSettings("validate", { given: {}, environment: {} }),
        args: paths.map((path) => join(dir, path)),
        stdout: { write: (part) => (text += part) },
        environment: { CI: "true" },
      });
      return { code, text };
    }
    const bad = good.replace("kind: Cluster", "kind: Clutser");

    it("prints only the problems of these files, checked beside the other files of the work tree", async () => {
      await runGit(dir, ["init", "-q"]);
      write("clusters/eu-1.yaml", good);
      write("clusters/again.yaml", good);
      write("other/bad.yaml", bad);
      const { code, text } = await validateNamed("clusters/eu-1.yaml");
      expect(code).toBe(1);
      expect(text).toMatch(/^clusters\/eu-1\.yaml:4:9 E_DUPLICATE /u);
      expect(text).not.toContain("bad.yaml");
      expect(text).toContain("\n1 of 3 files: 1 problem in 1 file\n");
      expect((await validateNamed("other", "clusters/eu-1.yaml")).text).toContain(
        "\n2 of 3 files: 2 problems in 2 files\n",
      );
    });

    it("takes one outside of a work tree, by itself", async () => {
      write("eu-1.yaml", good);
      write("below/bad.yaml", bad);
      expect(await validateNamed("below/bad.yaml")).toMatchObject({ code: 1 });
      expect(await validateNamed("eu-1.yaml")).toEqual({ code: 0, text: "1 of 2 files: no problems\n" });
    });

    it("reports that one is not read, or does not exist", async () => {
      write("eu-1.yaml", good);
      write("notes.txt", "text");
      expect(await validateNamed("eu-1.yaml", "notes.txt")).toEqual({
        code: 0,
        text: "notes.txt is not read: no file of a fleet has this name (.yaml, .yml, .json), .rollcallignore leaves it out, or it is in a submodule\n1 of 1 file: no problems\n",
      });
      symlinkSync("eu-1.yaml", join(dir, "link.yaml"));
      const linked = await validateNamed("link.yaml");
      expect(linked.text).toContain("link.yaml:1:1 E_SYMLINK ");
      expect(linked.text).not.toContain("is not read");
      await expect(validateNamed("eu-1.yaml", "eu-2.yaml")).rejects.toMatchObject({
        code: "E_READ",
        message: `read ${join(dir, "eu-2.yaml")}: it is not there`,
      });
    });
  });

  it("reads the work tree of a git repository, committed or not, and never .git", async () => {
    await runGit(dir, ["init", "--quiet"]);
    write(".git/hooks/bad.yaml", ": : :\n");
    write("node_modules/x/bad.yaml", ": : :\n");
    write("eu-1.yaml", good);
    expect(await validate()).toEqual({ code: 0, text: "1 cluster in 1 file: no problems\n" });
    // The daemon reads each file of a commit.
    await runGit(dir, ["add", "--force", "node_modules"]);
    expect((await validate()).text).toMatch(/^node_modules\/x\/bad\.yaml:1:3 E_YAML /u);
  });

  it("A11 symlink in the repository points outside", async () => {
    const outside = mkdtempSync(join(tmpdir(), "outside-"));
    writeFileSync(join(outside, "secret.yaml"), good);
    symlinkSync(join(outside, "secret.yaml"), join(dir, "file.yaml"));
    symlinkSync(outside, join(dir, "folder"));
    symlinkSync(dir, join(dir, "loop"));
    const { code, text } = await validate();
    rmSync(outside, { recursive: true });
    expect(code).toBe(1);
    expect(text.split("\n").filter((line) => !line.startsWith(" "))).toEqual([
      "file.yaml:1:1 E_SYMLINK the file is a symbolic link; links are never followed",
      expect.stringMatching(/^folder:1:1 E_SYMLINK warning:/u),
      expect.stringMatching(/^loop:1:1 E_SYMLINK warning:/u),
      "no document of a fleet in 0 files: 1 problem and 2 warnings in 3 files",
      "",
    ]);
  });

  it("A13 does not wait for a pipe that is where a file should be", async () => {
    execFileSync("mkfifo", [join(dir, "pipe.yaml")]);
    write("eu-1.yaml", good);
    expect(await validate()).toEqual({ code: 0, text: "1 cluster in 1 file: no problems\n" });
  });

  it("A44 writes no control characters to the terminal, whatever files are called", async () => {
    write("a\u001b[31mb\nc.yaml", good);
    const { code, text } = await validate();
    expect(code).toBe(1);
    expect(text).toContain("a\\u{1b}[31mb\\u{a}c.yaml:1:1 E_UNSAFE_PATH");
    expect(text.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
  });

  it("asks the repository's own policies", async () => {
    write("eu-1.yaml", good);
    write(
      "policy.yaml",
      `apiVersion: rollcall.dev/v1alpha1
kind: Policy
metadata:
  name: house
spec:
  rules:
    - expression: has(object.metadata.labels)
      message: every document needs labels
    - expression: "1 +"
      message: never asked
`,
    );
    const { code, text } = await validate();
    expect(code).toBe(1);
    expect(text).toMatch(/^eu-1\.yaml:1:1 E_POLICY every document needs labels \(policy house, rule 1\)$/mu);
    expect(text).toMatch(/^policy\.yaml:9:19 E_POLICY_EXPRESSION the expression does not compile/mu);
  });

  it("gives the same as JSON", async () => {
    write("eu-1.yaml", `${good}spec: {paused: maybe}\n`);
    const { code, text } = await validate({ format: "json" });
    expect(code).toBe(1);
    expect(JSON.parse(text)).toMatchObject({
      counts: { clusters: 0 },
      problems: [{ code: "E_SCHEMA", file: "eu-1.yaml", line: 5, column: 16, object: "Cluster/eu-1" }],
    });
  });

  it("gives the same as workflow commands, one line each", async () => {
    write("eu,1.yaml", `${good}spec: {paused: "50%"}\n`);
    expect(await validate({ format: "github" })).toEqual({
      code: 1,
      text:
        "::error file=eu%2C1.yaml,line=5,col=16,title=E_SCHEMA::spec.paused: must be true or false, not text" +
        "%0AWrite true or false, without quotes.\n",
    });
  });

  it("gives the same as SARIF, with a rule for each code", async () => {
    write("a b.yaml", `${good}spec: {paused: maybe, x: 1}\n`);
    const { code, text } = await validate({ format: "sarif" });
    expect(code).toBe(1);
    expect(JSON.parse(text)).toMatchObject({
      version: "2.1.0",
      runs: [
        {
          tool: { driver: { name: "rollcall", rules: [{ id: "E_SCHEMA" }, { id: "E_UNKNOWN_FIELD" }] } },
          results: [
            {
              ruleId: "E_SCHEMA",
              ruleIndex: 0,
              level: "error",
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: "a%20b.yaml" },
                    region: { startLine: 5, startColumn: 16 },
                  },
                },
              ],
            },
            { ruleId: "E_UNKNOWN_FIELD", ruleIndex: 1 },
          ],
        },
      ],
    });
  });

  it("uses colour only when it may", async () => {
    write("eu-1.yaml", ": : :\n");
    expect((await validate()).text).not.toContain("\u001b");
    expect((await validate({ isColour: true })).text).toContain("\u001b[31mE_YAML\u001b[39m");
  });
});

describe("what runValidate prints, and how loudly", () => {
  const group = `${good.replace("Cluster", "ClusterGroup").replace("eu-1", "none")}spec:\n  selector:\n    matchLabels: {env: none}\n`;

  it("shows the line of a problem with a mark under its place", async () => {
    write("eu-1.yaml", `${good}spec:\n  displayNmae: x\n`);
    const { text } = await validate();
    expect(text).toContain("    6 |   displayNmae: x\n      |   ^\n    fix: ");
  });

  it("shows no line of a file that may hold a secret", async () => {
    write("secret.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n  password: hunter2\n");
    write("mixed.yaml", `${good}spec:\n  hunter2: x\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: b}\n`);
    expect((await validate()).text).not.toContain("password: hunter2");
    expect((await validate({ format: "sarif" })).text).not.toContain("snippet");
  });

  it("reports that a file of ten megabytes is too large, and continues", async () => {
    write("huge.yaml", `${good}# ${"x".repeat(10_000_000)}\n`);
    write("bad.yaml", `${good.replace("eu-1", "eu-2")}specc: {}\n`);
    const { code, text } = await validate();
    expect(code).toBe(1);
    expect(text).toMatch(/^bad\.yaml:5:1 E_UNKNOWN_FIELD /mu);
    expect(text).toMatch(/^huge\.yaml:1:1 E_FILE_TOO_LARGE /mu);
    expect(text.length).toBeLessThan(2000);
  });

  it("A16 reads no file of a folder with more than 64 MiB of files, and reports it", async () => {
    write("eu-1.yaml", `${good}specc: {}\n`);
    for (let index = 0; index < 257; index += 1) write(`large/${index}.yaml`, `# ${"x".repeat(256 * 1024 - 2)}`);
    const { code, text } = await validate();
    expect(code).toBe(1);
    expect(text).toMatch(/^\.:1:1 E_REPOSITORY_TOO_LARGE .* more than 65536 KiB together; none was read$/mu);
    expect(text).not.toContain("E_UNKNOWN_FIELD");
  });

  it("counts warnings as errors when it is strict, and takes severities by code", async () => {
    write("eu-1.yaml", good);
    write("group.yaml", group);
    expect((await validate()).code).toBe(0);
    expect((await validate({ isStrict: true })).code).toBe(1);
    const off = new Map([["W_EMPTY_SELECTOR", "off" as const]]);
    expect(await validate({ isStrict: true, severities: off })).toMatchObject({ code: 0 });
    const error = new Map([["W_EMPTY_SELECTOR", "error" as const]]);
    expect((await validate({ severities: error })).code).toBe(1);
    expect(() => readSeverities(["W_EMPTY_SELETOR=off"])).toThrow(/did you mean W_EMPTY_SELECTOR\?/u);
    expect(() => readSeverities(["W_POLICY=loud"])).toThrow(/write W_POLICY=error, W_POLICY=warning or W_POLICY=off/u);
  });

  it("ignores a warning by a comment with a reason, and reports comments that give no reason or hide nothing", async () => {
    write("eu-1.yaml", good);
    const with_ = (comment: string) => group.replace("  selector:", `  # ${comment}\n  selector:`);
    write("group.yaml", with_("rollcall-ignore W_EMPTY_SELECTOR: the clusters come next week"));
    expect((await validate()).text).toBe("1 cluster, 1 group in 2 files: no problems\n");
    write("group.yaml", group.replace("selector:", "selector: # rollcall-ignore W_EMPTY_SELECTOR: soon"));
    expect((await validate()).text).toContain("no problems");
    write("group.yaml", with_("rollcall-ignore W_EMPTY_SELECTOR"));
    expect((await validate()).text).toMatch(
      /W_SUPPRESSION warning: the comment gives no reason to ignore W_EMPTY_SELECTOR/u,
    );
    write("group.yaml", with_("rollcall-ignore W_POLICY: because"));
    expect((await validate()).text).toMatch(/there is no W_POLICY to ignore here/u);
    write("eu-1.yaml", `${good}# rollcall-ignore E_UNKNOWN_FIELD: mine\nspecc: {}\n`);
    const { code, text } = await validate();
    expect(code).toBe(1);
    expect(text).toMatch(/E_UNKNOWN_FIELD is an error here, and errors cannot be ignored/u);
  });

  it("gives programs the line and the page of each problem", async () => {
    write("eu-1.yaml", `${good}spec:\n  displayNmae: x\n`);
    const { problems } = JSON.parse((await validate({ format: "json" })).text) as { problems: unknown[] };
    expect(problems).toEqual([
      expect.objectContaining({
        excerpt: "  displayNmae: x",
        line: 6,
        column: 3,
        page: "docs/errors/E_UNKNOWN_FIELD.md",
      }),
    ]);
  });
});

describe("runValidate --changed-since", () => {
  const problemsOf = async (options: Partial<ValidateOptions> = {}): Promise<Problem[]> => {
    const { text } = await validate({ format: "json", ...options });
    return (JSON.parse(text) as { problems: Problem[] }).problems;
  };
  async function commitAll(): Promise<void> {
    await runGit(dir, ["add", "-A"]);
    await runGit(dir, ["commit", "-q", "--allow-empty", "-m", "x"]);
  }

  it.each((process.env["PLAN_SEEDS"] ?? "3,4").split(",").map(Number))(
    "reports for changed files what a full run reports, and for others what is new (seed %i)",
    async (seed) => {
      await runGit(dir, ["init", "-q"]);
      const fleet = createRandomFleet(seed);
      const key = ({ code, file, line, message }: Problem): string => `${file}:${line} ${code} ${message}`;
      for (let index = 0; index < 8; index += 1) {
        const before = index === 0 ? [] : await problemsOf();
        const { files } = fleet.next();
        for (const [path, text] of Object.entries(files)) {
          if (text === null) rmSync(join(dir, path), { force: true });
          else write(path, text);
        }
        if (index > 0) {
          const known = new Set(before.map(key));
          const full = await problemsOf();
          const wanted = full.filter((problem) => Object.hasOwn(files, problem.file) || !known.has(key(problem)));
          const told = await problemsOf({ changedSince: "HEAD" });
          expect(wanted.filter((problem) => !told.some((other) => key(other) === key(problem)))).toEqual([]);
          // A file that was written again as it was has not changed.
          expect(told.filter((problem) => !wanted.some((other) => key(other) === key(problem)))).toEqual([]);
        }
        await commitAll();
      }
    },
  );

  it("reports what a deleted file does to others, and nothing of what was there before", async () => {
    await runGit(dir, ["init", "-q"]);
    write("eu-1.yaml", good);
    write("eu-2.yaml", `${good.replace("eu-1", "eu-2")}specc: {}\n`);
    const names = "spec:\n  clusterNames: [eu-1]\n  maxRegistrations: 1\n";
    write("token.yaml", good.replace("Cluster", "ClusterRegistrationToken").replace("eu-1", "door") + names);
    await commitAll();
    expect(await problemsOf({ changedSince: "HEAD" })).toEqual([]);
    rmSync(join(dir, "eu-1.yaml"));
    expect(await problemsOf({ changedSince: "HEAD" })).toMatchObject([{ code: "E_REFERENCE", file: "token.yaml" }]);
  });

  it("reads a base whose ignore file is too large or executable as the daemon does", async () => {
    await runGit(dir, ["init", "-q"]);
    write("eu-1.yaml", good);
    write("templates/a.yaml", good.replace("eu-1", "$NAME"));
    write(".rollcallignore", "/templates/\n".repeat(10_000));
    await commitAll();
    write(".rollcallignore", "/templates/\n");
    write("eu-1.yaml", `${good}specc: {}\n`);
    expect(await problemsOf({ changedSince: "HEAD" })).toMatchObject([{ file: "eu-1.yaml" }]);
    write("eu-1.yaml", good);
    chmodSync(join(dir, ".rollcallignore"), 0o755);
    await commitAll();
    // With the template in it, the base has the problem of the next commit, which would not be shown.
    rmSync(join(dir, ".rollcallignore"));
    expect(await problemsOf({ changedSince: "HEAD" })).toMatchObject([{ file: "templates/a.yaml" }]);
  });
});
