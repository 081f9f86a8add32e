import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

interface Entry {
  readonly section: string;
  readonly name: string;
  /** Spellings by which a test can name it. */
  readonly words: readonly string[];
}

interface Row {
  readonly section: string;
  readonly name: string;
  /** `none` where no test fails without the field. */
  readonly file: string;
  /** A title or another text of the file; the reason where there is no test. */
  readonly text: string;
  readonly how: string;
}

/** Lower it with each row that gets a test; never raise it. */
const mostUntested = 0;
/** Lower it with each row that is measured; never raise it: a new field comes with a test that was seen to fail. */
const mostNamed = 0;

const root = resolve(import.meta.dirname, "../..");
const folder = new URL("../../scripts/generate/", import.meta.url).href;
const { listFields } = (await import(`${folder}list-fields.mjs`)) as {
  readonly listFields: (options: object) => Promise<readonly Entry[]>;
};
const { readFieldRows } = (await import(`${folder}fields-page.mjs`)) as {
  readonly readFieldRows: (root: string) => readonly Row[];
};
const { loadSchemas } = (await import(`${folder}load-schemas.mjs`)) as {
  readonly loadSchemas: (folder: string) => object;
};

const entries = await listFields({ root, ...loadSchemas(join(root, "schemas")) });
const rows = readFieldRows(root);
const idOf = ({ section, name }: Pick<Row, "section" | "name">): string => `${section}: ${name}`;

/** What is wrong with a row; empty for nothing. */
function faultOf({ file, text, how }: Row, { words }: Entry): string {
  if (file === "none") return text === "" ? "it has no reason" : "";
  if (!["", "measured"].includes(how)) return `${how} is neither empty nor measured`;
  if (!file.startsWith("test/") || !existsSync(join(root, file))) return `${file} is not there`;
  const content = readFileSync(join(root, file), "utf8");
  if (text === "" || !content.includes(text)) return `${file} has no text ${text}`;
  if (how === "measured") return "";
  return words.some((word) => isMentioned(word, content)) ? "" : `${file} does not mention it`;
}

/** Whole words only: `name` is not mentioned by `names`. */
function isMentioned(word: string, content: string): boolean {
  const escaped = word.replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&");
  return new RegExp(`(?<![A-Za-z0-9])${escaped}(?![A-Za-z0-9])`, "u").test(content);
}

describe("test/rules/fields.golden", () => {
  it("has one row for each field, option, key, chart value and environment variable, and no other", () => {
    const wanted = entries.map(idOf);
    const found = rows.map(idOf);
    expect(found.filter((id, index) => found.indexOf(id) !== index)).toEqual([]);
    expect(wanted.filter((id) => !found.includes(id))).toEqual([]);
    expect(found.filter((id) => !wanted.includes(id))).toEqual([]);
  });

  it("names in each row a test that is there, and that mentions the field", () => {
    const byId = new Map(entries.map((entry) => [idOf(entry), entry]));
    const faults = rows.flatMap((row) => {
      const entry = byId.get(idOf(row));
      const fault = entry === undefined ? "" : faultOf(row, entry);
      return fault === "" ? [] : [`${idOf(row)}: ${fault}`];
    });
    expect(faults).toEqual([]);
  });

  it("has no more rows than before whose test was not seen to fail without the field", () => {
    expect(rows.filter(({ how }) => how !== "measured").length).toBe(mostNamed);
  });

  it("has no more rows without a test than before", () => {
    expect(rows.filter(({ file }) => file === "none")).toHaveLength(mostUntested);
  });
});
