import { mkdtemp, rm } from "node:fs/promises";
import { expect, it } from "vitest";
import { resolveBase } from "../../../src/work-tree/changed-since.ts";
import { createRepository } from "../../support/git-repositories.ts";

it("compares a folder of any name, by its path from the current folder too", async () => {
  const dir = await mkdtemp("node_modules/.rollcall a:b ");
  try {
    const repository = await createRepository(`${dir}/fleet`, { isBare: false });
    await repository.commit({ files: { a: "1" } });
    await expect(resolveBase(`${dir}/fleet`, "main")).resolves.toBeUndefined();
  } finally {
    await rm(dir, { recursive: true });
  }
});
