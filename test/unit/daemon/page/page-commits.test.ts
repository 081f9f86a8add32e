import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { PageCommits } from "../../../../src/daemon/page/page-commits.ts";
import type { Commit, GitEngine, PathChange } from "../../../../src/git/git.ts";
import type { Repository } from "../../../../src/model/generated/repository.ts";

const blob = "b".repeat(40);

function commitOf(number: number): Commit {
  return {
    id: `c${number}`,
    parents: number === 1 ? [] : [`c${number - 1}`],
    ...{ treeId: "t", author: { name: "Ann", email: "a@example.org" }, committedAtMs: number, message: "change" },
  };
}

/** Ten commits, each of which changed a file of its own; of the first one there are too many. */
function openCommits() {
  const asked: string[] = [];
  const git = {
    readCommit: async (id: string) => commitOf(Number(id.slice(1))),
    listCommits: async ({ to }: { to: string }) => {
      asked.push(`list ${to}`);
      return Array.from({ length: 10 }, (_, index) => commitOf(10 - index));
    },
    changedPaths: async (_from: string | undefined, to: string): Promise<PathChange[]> => {
      asked.push(`changes of ${to}`);
      if (to === "c1") throw new AppError("E_TOO_MANY_FILES", "compare two commits");
      return [{ path: `clusters/${to}.yaml`, after: { path: "", blobId: blob, mode: "file" } as never }];
    },
  } as unknown as GitEngine;
  const repositoryAt = (observedCommit: string) => ({ spec: {}, status: { observedCommit } }) as unknown as Repository;
  return { asked, commits: new PageCommits(git), repositoryAt };
}

describe("PageCommits", () => {
  it("finds the commits that changed a file", async () => {
    const { commits, repositoryAt } = openCommits();
    expect(await commits.touching("clusters/c4.yaml", repositoryAt("c10"))).toMatchObject([{ id: "c4" }]);
    expect(await commits.touching("clusters/none.yaml", repositoryAt("c10"))).toEqual([]);
  });

  it("A157 reads the newest commits once for all clusters that a viewer asks for, also one with too many files", async () => {
    const { asked, commits, repositoryAt } = openCommits();
    const files = Array.from({ length: 100 }, (_, index) => `clusters/c${index}.yaml`);
    await Promise.all(files.map((file) => commits.touching(file, repositoryAt("c10"))));
    expect(asked.filter((text) => text.startsWith("list"))).toEqual(["list c10"]);
    expect(asked.filter((text) => text.startsWith("changes"))).toHaveLength(10);
  });

  it("reads them anew for a new head", async () => {
    const { asked, commits, repositoryAt } = openCommits();
    await commits.touching("clusters/c4.yaml", repositoryAt("c9"));
    await commits.touching("clusters/c4.yaml", repositoryAt("c10"));
    expect(asked.filter((text) => text.startsWith("list"))).toEqual(["list c9", "list c10"]);
  });
});
