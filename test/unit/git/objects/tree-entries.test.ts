import { describe, expect, it } from "vitest";
import type { ObjectFormat } from "../../../../src/git/objects/git-object.ts";
import { entryKind, formatTree, parseTree, parseTreeInTurns } from "../../../../src/git/objects/tree-entries.ts";

const id = "a".repeat(40);
const raw = Buffer.from(id, "hex").toString("latin1");
const entryOf = (name: string, modeText = "100644") => ({ name, rawName: name, modeText, id });
const bytesOf = (text: string): Buffer => Buffer.from(text, "latin1");

describe("entryKind", () => {
  it.each([
    { mode: "40000", kind: "tree" },
    { mode: "040000", kind: "tree" },
    { mode: "100644", kind: "file" },
    { mode: "100664", kind: "file" },
    { mode: "100755", kind: "executable" },
    { mode: "100744", kind: "executable" },
    { mode: "100655", kind: "file" },
    { mode: "120000", kind: "link" },
    { mode: "160000", kind: "submodule" },
    { mode: "000000", kind: "submodule" },
  ])("is $kind for the mode $mode", ({ mode, kind }) => {
    expect(entryKind(entryOf("a", mode))).toBe(kind);
  });
});

describe("formatTree", () => {
  it("sorts folders as if their names ended in a slash, as git does", () => {
    const entries = [entryOf("a0"), entryOf("a", "40000"), entryOf("a.b"), entryOf("a-b", "40000"), entryOf("B")];
    const names = parseTree("t", formatTree(entries), "sha1").map(({ name }) => name);
    expect(names).toEqual(["B", "a-b", "a.b", "a", "a0"]);
    const files = parseTree("t", formatTree(entries.map(({ name }) => entryOf(name))), "sha1");
    expect(files.map(({ name }) => name)).toEqual(["B", "a", "a-b", "a.b", "a0"]);
  });
});

describe("parseTree", () => {
  it("gives the entries of either format, also in turns", async () => {
    const content = bytesOf(`40000 a\0${raw}100644 \u00fc\0${raw}`);
    const expected = [
      { ...entryOf("a", "40000"), name: "a" },
      { ...entryOf("\u00fc"), name: "\ufffd" },
    ];
    expect(parseTree("t", content, "sha1")).toEqual(expected);
    expect(await parseTreeInTurns("t", content, "sha1")).toEqual(expected);
    const long = Buffer.from("b".repeat(64), "hex").toString("latin1");
    expect(parseTree("t", bytesOf(`100644 a\0${long}`), "sha256")).toMatchObject([{ id: "b".repeat(64) }]);
  });

  it.each<{ reason: string; text: string; format?: ObjectFormat }>([
    { reason: "no blank", text: `100644a\0${raw}` },
    { reason: "no blank before the end of the name, and one after it", text: `100644\0 ${raw}` },
    { reason: "no end of the name", text: "100644 abc" },
    { reason: "an id that is cut off", text: `100644 a\0${raw.slice(1)}` },
    { reason: "an id of the other format", text: `100644 a\0${raw}`, format: "sha256" },
    { reason: "no mode", text: ` a\0${raw}` },
    { reason: "a mode with a letter before it", text: `x100644 a\0${raw}` },
    { reason: "a mode with a letter behind it", text: `100644x a\0${raw}` },
    { reason: "a mode that is not octal", text: `100648 a\0${raw}` },
  ])("refuses an entry with $reason", async ({ text, format = "sha1" }) => {
    const refused = expect.objectContaining({ code: "E_GIT_OBJECT" }) as Error;
    expect(() => parseTree("t", bytesOf(text), format)).toThrow(refused);
    await expect(parseTreeInTurns("t", bytesOf(text), format)).rejects.toThrow(refused);
  });
});
