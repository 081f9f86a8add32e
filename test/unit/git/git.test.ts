import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { GitReader } from "../../../src/git/git.ts";
import { readTextAt } from "../../../src/git/git.ts";

function commitWith(mode: "file" | "link", content: string): GitReader {
  const reader: Partial<GitReader> = {
    listFiles: () => Promise.resolve([{ path: "a", blobId: "blob", mode }]),
    readBlob: (_id, { maximumBytes = 0 } = {}) =>
      content.length > maximumBytes
        ? Promise.reject(new AppError("E_FILE_TOO_LARGE", "read"))
        : Promise.resolve(new TextEncoder().encode(content)),
  };
  return reader as GitReader;
}

describe("readTextAt", () => {
  it.each([
    { reason: "its text", reader: commitWith("file", "text"), path: "a", text: "text" },
    { reason: "nothing of a link", reader: commitWith("link", "text"), path: "a", text: undefined },
    { reason: "nothing where there is no file", reader: commitWith("file", "text"), path: "b", text: undefined },
    { reason: "an empty text of a large file", reader: commitWith("file", "too long"), path: "a", text: "" },
  ])("gives $reason", async ({ reader, path, text }) => {
    expect(await readTextAt(reader, "commit", { path, maximumBytes: 4 })).toBe(text);
  });
});
