import { expect, it } from "vitest";
import { blobIdOf, blobIdOfBytes } from "../../../src/core/blob-id.ts";
import { objectIdOf } from "../../../src/git/objects/git-object.ts";
import { overlayTree } from "../../../src/git/objects/overlay-tree.ts";
import { countCalls, withoutOptimizer } from "../../support/count-calls.ts";

withoutOptimizer();

it.each([
  { format: "sha1" as const, text: "hello\n", id: "ce013625030ba8dba906f756967f9e9ca394464a" },
  { format: "sha1" as const, text: "", id: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391" },
  { format: "sha256" as const, text: "grün\n", id: undefined },
])("is the id that git gives $text by $format", ({ format, text, id }) => {
  const known = objectIdOf("blob", Buffer.from(text), format);
  expect(blobIdOf(text, known)).toBe(id ?? known);
  expect(blobIdOfBytes(Buffer.from(text), format)).toBe(known);
});

it("hashes bytes once: to compare them with a branch, and to commit them", async () => {
  const content = Buffer.from("a list of the whole fleet\n");
  const changes = new Map([["README.md", content]]);
  const readTree = () => Promise.reject(new Error("there is none"));
  const commit = () => overlayTree({ baseTreeId: undefined, changes, readTree, format: "sha1" });
  const id = blobIdOfBytes(content, "sha1");
  const counts = await countCalls(async () => expect((await commit()).objects[0]?.id).toBe(id));
  const hashed = [...counts].filter(([place, count]) => place.includes("blob-id.ts hashBlob") && count > 0);
  expect(hashed).toEqual([]);
});
