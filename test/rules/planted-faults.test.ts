import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { attackFaults } from "../planted/attack-faults.ts";
import type { PlantedFault } from "../planted/faults.ts";
import { removalFaults } from "../planted/faults.ts";

const root = resolve(import.meta.dirname, "../..");

const simulated = JSON.parse(
  readFileSync(join(root, "test/simulation/planted/faults.json"), "utf8"),
) as readonly PlantedFault[];
const faults: readonly PlantedFault[] = [...removalFaults, ...attackFaults, ...simulated];

/** Rows of docs/security.md without a mechanism that can be taken away, and why. */
const withoutFault: Readonly<Record<string, string>> = {
  A42: "There is no password and no limit of tries: the row does not apply.",
  A67: "Its test runs the program that is built; docs/security.md says what was taken away by hand.",
};

describe("planted faults (npm run test:planted, npm run simulate:planted)", () => {
  it.each(faults)("$name: has one place in the source", ({ file, from, to }) => {
    expect(readFileSync(join(root, file), "utf8").split(from)).toHaveLength(2);
    expect(to).not.toBe(from);
  });

  it("has one for each row of docs/security.md, or a reason", () => {
    const text = readFileSync(join(root, "docs/security.md"), "utf8");
    const rows = [...text.matchAll(/^\| ([AF]\d+) \|/gmu)].map(([, number = ""]) => number);
    expect(rows.length).toBeGreaterThan(90);
    const planted = new Set(attackFaults.map(({ number }) => number));
    expect(rows.filter((number) => planted.has(number) === number in withoutFault)).toEqual([]);
    expect([...planted].filter((number) => !rows.includes(number))).toEqual([]);
  });

  it.each(attackFaults)("names a test that bears the number $number, for $name", ({ number, test, story }) => {
    const path = join(root, "test", test);
    expect(existsSync(path)).toBe(true);
    // A story is in a suite that the file runs.
    if (story === undefined) expect(readFileSync(path, "utf8")).toMatch(new RegExp(`\\b${number}\\b`, "u"));
  });
});
