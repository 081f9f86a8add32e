import { existsSync } from "node:fs";
import { readFile, symlink } from "node:fs/promises";
import { spawn } from "node:child_process";
import { delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTempFolder } from "../support/git-repositories.ts";
import type { RollcallProcess } from "../support/rollcall-process.ts";
import { startRollcall } from "../support/rollcall-process.ts";

const checkout = resolve(import.meta.dirname, "../..");

/** The program kubectl, from KUBEBUILDER_ASSETS or PATH; undefined where there is none. */
const kubectlFolder = [process.env["KUBEBUILDER_ASSETS"] ?? "", ...(process.env["PATH"] ?? "").split(delimiter)].find(
  (folder) => folder !== "" && existsSync(join(folder, "kubectl")),
);

interface Session {
  readonly folder: Awaited<ReturnType<typeof makeTempFolder>>;
  readonly up: RollcallProcess;
}

/** A folder with what these pages use of a checkout, and the fleet of a first terminal. */
async function startFleet(args: readonly string[]): Promise<Session> {
  const folder = await makeTempFolder();
  for (const name of ["bin", "examples-repo"]) await symlink(join(checkout, name), join(folder.path, name));
  const up = startRollcall([...args], { cwd: folder.path });
  await up.whenPrinted(/Every cluster is Ready/u, 100_000);
  return { folder, up };
}

async function endFleet({ folder, up }: Session): Promise<void> {
  up.kill("SIGTERM");
  await up.finished;
  await folder.remove();
}

/** Types lines into one shell, as a person does; resolves with what it printed and the commands that failed. */
function typeIntoShell(text: string, cwd: string): Promise<{ readonly output: string; readonly failed: string[] }> {
  const child = spawn("bash", ["--norc", "--noprofile"], {
    cwd,
    env: {
      PATH: [process.env["PATH"], ...(kubectlFolder === undefined ? [] : [kubectlFolder])].join(delimiter),
      HOME: cwd,
      GIT_AUTHOR_NAME: "Reader",
      GIT_AUTHOR_EMAIL: "reader@example.org",
      GIT_COMMITTER_NAME: "Reader",
      GIT_COMMITTER_EMAIL: "reader@example.org",
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.end(`trap 'echo "@failed $BASH_COMMAND"' ERR\n${text}\n`);
  const parts: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => void parts.push(String(part)));
  return new Promise((done, reject) => {
    child.on("error", reject);
    child.on("close", () => {
      const output = parts.join("");
      done({ output, failed: [...output.matchAll(/^@failed .*$/gmu)].map(([line]) => line) });
    });
  });
}

function blocksOf(page: string): string[] {
  return [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gmu)].map((match) => match[1] ?? "");
}

describe("docs/walk-through.md, typed from top to bottom into one shell", () => {
  let session: Session;
  let page: string;
  beforeAll(async () => {
    page = await readFile(join(checkout, "docs/walk-through.md"), "utf8");
    const [, start = ""] = /^```sh terminal=1\nnode bin\/rollcall\.js (.*)\n```$/mu.exec(page) ?? [];
    session = await startFleet(start.split(" "));
  });
  afterAll(() => endFleet(session));

  it("comes to its end without a command that fails", async () => {
    const blocks = blocksOf(page);
    expect(blocks.length).toBeGreaterThanOrEqual(7);
    const { output, failed } = await typeIntoShell(blocks.join("\n"), session.folder.path);
    expect(failed, output).toEqual([]);
    expect(output).toMatch(/lab-1[\s\S]*Joined +True/u);
    expect(output).toMatch(/dev-us-1/u);
  });
});

describe("README.md, typed from top to bottom into one shell", () => {
  let session: Session;
  let blocks: string[];
  beforeAll(async () => {
    blocks = blocksOf(await readFile(join(checkout, "README.md"), "utf8"));
    session = await startFleet(["up"]);
  });
  afterAll(() => endFleet(session));

  it("begins with install, start and test, which are run by whoever runs this", () => {
    expect(blocks[0]).toBe("npm ci && npm start\nnpm ci && npm test\n");
  });

  it(`comes to its end${kubectlFolder === undefined ? " (without kubectl, which is not here)" : ""}`, async () => {
    const lines = (blocks[1] ?? "")
      .split("\n")
      .filter((line) => kubectlFolder !== undefined || !/^kubectl /u.test(line));
    expect(lines.length).toBeGreaterThanOrEqual(4);
    const { output, failed } = await typeIntoShell(lines.join("\n"), session.folder.path);
    expect(failed, output).toEqual([]);
    expect(output).toMatch(/prod-eu-1/u);
  });

  it("prints commands to try that work from where it was started", async () => {
    const printed = session.up.output();
    const lines = [...printed.slice(printed.indexOf("Every cluster is Ready")).matchAll(/^ {2}(\S.*)$/gmu)].map(
      (match) => match[1] ?? "",
    );
    const typed = lines.filter((line) => !/^kubectl /u.test(line) || kubectlFolder !== undefined);
    const isCommit = (line: string): boolean => line.includes("commit -am");
    expect(typed.filter((line) => /^node \S*bin\/rollcall\.js status /u.test(line))).toHaveLength(2);
    const { output, failed } = await typeIntoShell(
      typed.filter((line) => !isCommit(line)).join("\n"),
      session.folder.path,
    );
    expect(failed, output).toEqual([]);
    expect(output).toContain("Rollcall-Source-Commit");
  });
});
