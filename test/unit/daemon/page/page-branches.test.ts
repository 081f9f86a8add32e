import { describe, expect, it } from "vitest";
import type { Log } from "../../../../src/core/log.ts";
import { silentLog } from "../../../../src/core/log.ts";
import { createBranchLister } from "../../../../src/daemon/page/page-branches.ts";
import type { GitEngine } from "../../../../src/git/git.ts";
import type { Repository } from "../../../../src/model/generated/repository.ts";

const repositoryWith = (spec: object): Repository => ({
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Repository",
  metadata: { name: "fleet" },
  spec: { url: "https://git.example.com/fleet", ...spec },
});

/** A lister on a repository with these branches; what it logs, and how often it asks. */
function open(listBranches: () => Promise<readonly string[]>) {
  const warnings: string[] = [];
  let asked = 0;
  const git = {
    listBranches: async () => {
      asked += 1;
      return new Map((await listBranches()).map((name) => [name, "1"]));
    },
  } as unknown as GitEngine;
  const log: Log = { ...silentLog, warn: (message) => void warnings.push(message) };
  return { list: createBranchLister(git, log), warnings, asked: () => asked };
}

const names = ["x10", "x9", "main", "prod", "rollcall/status", "rollcall/status-past", "records", "records-past"];

describe("the branches that the page offers to plan", () => {
  it.each([
    [undefined, ["prod", "records", "records-past", "x9", "x10"]],
    [repositoryWith({}), ["prod", "records", "records-past", "x9", "x10"]],
    [
      repositoryWith({ ref: { branch: "prod" }, writeBack: { branch: "records" } }),
      ["main", "rollcall/status", "rollcall/status-past", "x9", "x10"],
    ],
  ])("are all but those that are applied and written, by name: %j", async (repository, expected) => {
    expect(await open(async () => names).list(repository)).toEqual(expected);
  });

  it("are none that git would take for something else", async () => {
    expect(await open(async () => ["-rf", "a..b", "good"]).list(undefined)).toEqual(["good"]);
  });

  it("are 500 at most", async () => {
    const many = Array.from({ length: 501 }, (_, index) => `b${index}`);
    const listed = await open(async () => many).list(undefined);
    expect([listed.length, listed.at(-1)]).toEqual([500, "b499"]);
  });

  it("are asked for once by many pages", async () => {
    const { list, asked } = open(async () => names);
    await Promise.all([list(undefined), list(repositoryWith({}))]);
    await list(undefined);
    expect(asked()).toBe(1);
  });

  it("are none, with a line in the log, while the remote is not reached, and are asked for again", async () => {
    let answer = () => Promise.reject(new Error("no"));
    const { list, warnings } = open(() => answer());
    expect(await list(undefined)).toEqual([]);
    expect(warnings).toEqual(["the page cannot list the branches"]);
    answer = (async () => ["x"]) as never;
    expect(await list(undefined)).toEqual(["x"]);
  });
});
