import { describe, expect, it } from "vitest";
import { createFileParser, maxProblemsPerFile } from "../../../src/manifests/parse-file.ts";
import { documentText, parseText, problemLines } from "./read-text.ts";

const parse = createFileParser();
const eu1 = documentText("Cluster", "eu-1");

describe("createFileParser: what is known of a file", () => {
  it("of bytes that are no text: their number, and one problem", () => {
    const bytes = new Uint8Array([0x61, 0x3a, 0x20, 0xff]);
    expect(parse({ path: "a.yaml", blobId: "b", bytes })).toStrictEqual({
      path: "a.yaml",
      blobId: "b",
      text: "",
      sizeBytes: 4,
      documents: [],
      brokenObjects: [],
      isUnidentified: true,
      problems: [
        {
          code: "E_ENCODING",
          severity: "error",
          file: "a.yaml",
          line: 1,
          column: 4,
          message: "the file is not UTF-8 text",
          fix: expect.stringContaining("iconv -f WINDOWS-1252") as string,
        },
      ],
    });
  });

  it("of bytes that are too many: what to do", () => {
    const [problem, ...others] = parseText("a".repeat(256 * 1024 + 1)).problems;
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ code: "E_FILE_TOO_LARGE", fix: expect.any(String) as string });
  });

  it("of text: its bytes, and the pieces of syntax that only the parser read", () => {
    expect(parseText("a: é\n")).toMatchObject({ sizeBytes: 6, parsedPieces: 0 });
    expect(parseText('a: "b\\tc"\n').parsedPieces).toBeGreaterThan(0);
    expect(parseText('{"a": [1,}', "a.json").parsedPieces).toBeGreaterThan(0);
  });

  it.each([
    { path: "a.json", text: "a: b: c\n", isUnreadable: true, codes: [] },
    { path: "a.json", text: "a: b: c\nd: apiVersion\n", isUnreadable: undefined, codes: ["E_YAML"] },
    { path: "a.json", text: '{"a": 1}', isUnreadable: undefined, codes: [] },
    { path: "a.json.yaml", text: "a: b: c\n", isUnreadable: undefined, codes: ["E_YAML"] },
    { path: "a.json", text: "[".repeat(100), isUnreadable: true, codes: [] },
    { path: "a.yaml", text: "[".repeat(100), isUnreadable: undefined, codes: ["E_YAML"] },
  ])("of $path with $text: unreadable is $isUnreadable", ({ path, text, isUnreadable, codes }) => {
    const file = parseText(text, path);
    expect(file.isUnreadable).toBe(isUnreadable);
    expect(file.isUnidentified).toBe(codes.length > 0);
    expect(file.problems.map(({ code }) => code)).toEqual(codes);
  });

  it("with an error outside every document: its place, and no object", () => {
    const text = `${eu1}---\n${"[".repeat(100)}\n`;
    expect(problemLines(parseText(text))).toEqual([
      expect.stringMatching(/^6:6\d E_YAML values are nested more than 64/u),
    ]);
    expect(parseText(text)).toMatchObject({ documents: [], isUnidentified: true });
    expect(parseText(text).problems[0]).toMatchObject({ severity: "error", fix: "Make the structure flatter." });
    expect(parseText(text).problems[0]).not.toHaveProperty("object");
  });
});

describe("createFileParser: places", () => {
  const text = `${eu1}---\n# c\n${documentText("Cluster", "eu-2", "x: 1", "displayName: yes")}`;

  it("are exact by default, and those of documents on demand", () => {
    const bytes = new TextEncoder().encode(text);
    const places = (option?: "exact" | "documents") =>
      parse({ path: "a.yaml", blobId: "b", bytes }, option && { places: option }).problems.map(
        ({ line, column, code }) => `${line}:${column} ${code}`,
      );
    expect(places()).toEqual(["12:3 E_UNKNOWN_FIELD", "13:16 W_YAML_AMBIGUOUS"]);
    expect(places("exact")).toEqual(places());
    expect(places("documents")).toEqual(["7:1 E_UNKNOWN_FIELD", "13:16 W_YAML_AMBIGUOUS"]);
  });

  it("are in the order of lines, whatever found the problem", () => {
    const file = parseText(`${documentText("Cluster", "a", "x: 1")}---\na: b: c\n---\n${documentText("Clutser", "b")}`);
    expect(file.problems.map(({ line, code }) => `${line} ${code}`)).toEqual([
      "6 E_UNKNOWN_FIELD",
      "8 E_YAML",
      "11 E_UNKNOWN_KIND",
    ]);
    expect(file.problems.map(({ object }) => object)).toEqual(["Cluster/a", undefined, undefined]);
    expect(Object.keys(file.problems[1] ?? {})).not.toContain("object");
    const [twice] = parseText(`${documentText("Cluster", "a")}kind: Cluster\n`).problems;
    expect(twice).toMatchObject({ code: "E_NOT_UNIQUE_KEY" });
    expect(Object.keys(twice ?? {})).not.toContain("fix");
  });

  it("have a warning beside an error of another place, and none beside an error of the same", () => {
    const lines = (...spec: string[]) =>
      parseText(documentText("Cluster", "a", ...spec)).problems.map(({ line, severity }) => `${line} ${severity}`);
    expect(lines("displayName: yes", "paused: no")).toEqual(["6 warning", "7 error"]);
    expect(lines("displayName: yes", "paused: false")).toEqual(["6 warning"]);
  });
});

describe("createFileParser: many problems", () => {
  const warnings = (count: number) => Array.from({ length: count }, (_, index) => `    a${index}: yes\n`).join("");
  const file = (count: number) =>
    parseText(
      `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata:\n  name: a\n  annotations:\n${warnings(count)}`,
    );

  it("are kept as long as there are not more than fit", () => {
    expect(file(maxProblemsPerFile).problems.map(({ message }) => message)).not.toContainEqual(
      expect.stringContaining("more problems"),
    );
    expect(file(maxProblemsPerFile).problems).toHaveLength(maxProblemsPerFile);
  });

  it("end with the number of the others, at the first of them", () => {
    const { problems } = file(maxProblemsPerFile + 2);
    expect(problems).toHaveLength(maxProblemsPerFile + 1);
    expect(problems.at(-1)).toMatchObject({
      line: 5 + maxProblemsPerFile + 1,
      severity: "warning",
      message: "and 2 more problems in this file",
    });
  });
});
