import { expect, it } from "vitest";
import { blobIdOf } from "../../../src/core/blob-id.ts";
import { objectIdOf } from "../../../src/git/objects/git-object.ts";

it.each([
  { format: "sha1" as const, text: "hello\n", id: "ce013625030ba8dba906f756967f9e9ca394464a" },
  { format: "sha1" as const, text: "", id: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391" },
  { format: "sha256" as const, text: "grün\n", id: undefined },
])("is the id that git gives $text by $format", ({ format, text, id }) => {
  const known = objectIdOf("blob", Buffer.from(text), format);
  expect(blobIdOf(text, known)).toBe(id ?? known);
});
