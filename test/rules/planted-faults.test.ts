import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { attackFaults } from "../planted/attack-faults.ts";
import { removalFaults } from "../planted/faults.ts";

const root = resolve(import.meta.dirname, "../..");

describe("planted faults (npm run test:planted)", () => {
  it.each([...removalFaults, ...attackFaults])("$name: stands for one place of the source", ({ file, from, to }) => {
    expect(readFileSync(join(root, file), "utf8").split(from)).toHaveLength(2);
    expect(to).not.toBe(from);
  });
});
