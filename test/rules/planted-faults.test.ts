import { readFileSync } from "node:fs";
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

describe("planted faults (npm run test:planted, npm run simulate:planted)", () => {
  it.each(faults)("$name: stands for one place of the source", ({ file, from, to }) => {
    expect(readFileSync(join(root, file), "utf8").split(from)).toHaveLength(2);
    expect(to).not.toBe(from);
  });
});
