import { describe, expect, it } from "vitest";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { ParsedFile } from "../../../src/model/source.ts";
import { openWorld } from "../../../src/review/offline-world.ts";
import { createMemoryGit } from "../reconcile/removals/memory-git.ts";

const text =
  "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: a, namespace: fleet}\nspec: {displayName: A}\n";
const repository: Repository = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Repository",
  metadata: { name: "fleet", namespace: "system" },
  spec: { url: "memory", workspaces: ["fleet"] },
};

function createWorld(cache?: Parameters<typeof openWorld>[2]) {
  const git = createMemoryGit();
  const commit = git.commit({ "a.yaml": text }, "start\n");
  return { commit, world: openWorld({ git, records: undefined, base: commit, nowMs: 0 }, repository, cache) };
}

describe("openWorld", () => {
  it("observes what the files of the base declare, in the workspaces of the Repository", async () => {
    const { commit, world } = createWorld();
    const { fleet } = await world.reader.check(repository, await world.reader.read(repository, commit));
    const observed = world.observe(fleet);
    const names = observed.list(resourceTypes.cluster).map(({ metadata }) => metadata.name);
    expect(names).toEqual(["a"]);
    expect([observed.isWorkspace("fleet"), observed.isWorkspace("other")]).toEqual([true, false]);
    expect(world.observe(undefined).list(resourceTypes.cluster)).toEqual([]);
  });

  it("parses a file once when results of parsing are kept", async () => {
    const kept = new Map<string, ParsedFile>();
    const cache = {
      recall: (_path: string, blobId: string) => kept.get(blobId),
      keep: (file: ParsedFile) => void kept.set(file.blobId, file),
    };
    const { commit, world } = createWorld(cache);
    expect((await world.reader.read(repository, commit)).parsedCount).toBe(1);
    expect((await world.reader.read(repository, commit)).parsedCount).toBe(0);
    expect((await createWorld().world.reader.read(repository, commit)).parsedCount).toBe(1);
  });
});
