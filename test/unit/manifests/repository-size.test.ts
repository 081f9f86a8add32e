import { describe, expect, it } from "vitest";
import { createFileParser } from "../../../src/manifests/parse-file.ts";
import {
  addSizes,
  isWithin,
  maxRepositorySize,
  noFiles,
  replaceSize,
  sizeOfFile,
  tooLargeRepository,
} from "../../../src/manifests/repository-size.ts";

const parseFile = createFileParser();
const sizeOf = (text: string) =>
  sizeOfFile(parseFile({ path: "a.yaml", blobId: "", bytes: new TextEncoder().encode(text) }));

describe("sizeOfFile", () => {
  it.each([
    "---\na: &a {x: 1}\nb:\n  <<: *a\n",
    "---\n[\n",
    "---\n- !a b\n",
    "---\n...\n",
    '---\n? {a: b,\n c: "\\x41"}\n',
  ])("A68 counts at least a piece of syntax for two characters that only the parser reads: %j", (document) => {
    const text = document.repeat(50);
    const { bytes, pieces } = sizeOf(text);
    expect(bytes).toBe(text.length);
    expect(pieces).toBeGreaterThanOrEqual(text.length / 2);
    expect(pieces).toBeLessThanOrEqual(1.5 * text.length);
  });

  it("A68 counts pieces of files that are given up, too", () => {
    expect(sizeOf("[".repeat(100)).pieces).toBeGreaterThan(60);
    expect(sizeOf("---\n[\n".repeat(2000)).pieces).toBeGreaterThan(2000);
  });

  it("counts the bytes that a file had, or those of its text", () => {
    const file = {
      path: "a.yaml",
      blobId: "",
      text: "é",
      documents: [],
      problems: [],
      isUnidentified: true,
      brokenObjects: [],
    };
    expect(sizeOfFile(file)).toEqual({ bytes: 2, pieces: 0 });
    expect(sizeOfFile({ ...file, sizeBytes: 5 })).toEqual({ bytes: 5, pieces: 0 });
    expect(sizeOfFile({ ...file, sizeBytes: 0 })).toEqual({ bytes: 0, pieces: 0 });
  });

  it("counts no piece of what the scanner reads", () => {
    expect(sizeOf("a: 1\nb: [c, d]\n")).toEqual({ bytes: 15, pieces: 0 });
  });
});

describe("isWithin", () => {
  it("A68 refuses more pieces than the maximum, and more bytes", () => {
    const maximum = { bytes: 100, pieces: 10 };
    expect(isWithin({ bytes: 100, pieces: 10 }, maximum)).toBe(true);
    expect(isWithin({ bytes: 101, pieces: 0 }, maximum)).toBe(false);
    expect(isWithin({ bytes: 0, pieces: 11 }, maximum)).toBe(false);
  });

  it("accepts ten thousand clusters of which each needs the parser", () => {
    const { bytes, pieces } = sizeOf(
      'apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata:\n  name: c-1\n  labels:\n    env: prod\n    region: eu-1\nspec:\n  displayName: "a\\tb"\n' +
        "  clientID: 5b4c6a52-9f2e-4c55-9d57-000000000001\n  agent:\n    version: 0.1.9\n    resources:\n      requests: {cpu: 20m, memory: 64Mi}\n  deletionPolicy: Detach\n",
    );
    expect(pieces).toBeGreaterThan(0);
    expect(isWithin({ bytes: bytes * 10_000, pieces: pieces * 10_000 }, maxRepositorySize)).toBe(true);
  });
});

describe("replaceSize", () => {
  it("gives what all files give after the change", () => {
    const [a, b, c] = [sizeOf("a: 1\n"), sizeOf("a: [\n"), sizeOf("a: |\n b\n")];
    expect(replaceSize(addSizes(a, b), b, c)).toEqual(addSizes(addSizes(noFiles, a), c));
  });
});

describe("tooLargeRepository", () => {
  it("names the bound that is exceeded, and what to do", () => {
    const maximum = { bytes: 2048, pieces: 10 };
    expect(tooLargeRepository({ bytes: 2049, pieces: 0 }, maximum).message).toBe(
      "the YAML and JSON files of the repository have more than 2 KiB together; none was read",
    );
    expect(tooLargeRepository({ bytes: 2048, pieces: 11 }, maximum)).toMatchObject({
      code: "E_REPOSITORY_TOO_LARGE",
      file: ".",
      message:
        "the YAML and JSON files of the repository have more than 10 pieces of syntax that only the full parser of YAML reads; none was read",
      fix: "Narrow spec.paths of the Repository, or list folders in .rollcallignore.",
    });
  });
});
