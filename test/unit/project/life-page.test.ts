import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { handDeletions } from "../../contract/life/hand-deletions.ts";

const marks = { start: "<!-- hand-deletions -->", end: "<!-- /hand-deletions -->" };

it("docs/life-of-a-cluster.md lists every manual deletion that is tried, in the same words", async () => {
  const page = await readFile(new URL("../../../docs/life-of-a-cluster.md", import.meta.url), "utf8");
  const rows = page
    .slice(page.indexOf(marks.start) + marks.start.length, page.indexOf(marks.end))
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map((line) => line.split("|").map((cell) => cell.trim()));
  expect(rows.map(([, object, outcome]) => `${object}: ${outcome}`)).toEqual(
    handDeletions.map(({ object, outcome }) => `${object}: ${outcome}`),
  );
});
