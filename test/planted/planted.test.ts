import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attackFaults } from "./attack-faults.ts";
import type { FaultRow } from "./attack-faults.ts";
import { removalFaults } from "./faults.ts";
import { copySource, titleOf } from "./run-tests.ts";
import type { SourceCopy } from "./run-tests.ts";

process.env["ROLLCALL_REMOVAL_SEQUENCES"] ??= "300";

let source: SourceCopy;
beforeAll(async () => {
  source = await copySource();
});
afterAll(() => source.remove());

describe("the tests of removals", () => {
  const args = ["--project", "unit", "test/unit/reconcile/removals"];

  it("pass in a copy without a fault", async () => {
    expect((await source.run(args)).isSuccess).toBe(true);
  });

  it.each(removalFaults)("fail when $name", async (fault) => {
    expect((await source.run(args, fault)).isSuccess).toBe(false);
  });
});

/** A part can be run by its numbers: `npm run test:planted -- -t "A12 fails"`. */
describe("the tests of attacks and faults", () => {
  const runs = [...new Map(attackFaults.map((fault) => [`${fault.number} passes: ${fault.test}`, fault]))];
  const faults = attackFaults.map((fault) => [`${fault.number} fails without ${fault.name}`, fault] as const);

  it.each(runs)("%s", async (_, fault) => {
    const { passed, isSuccess } = await source.run(argsOf(fault));
    expect(isSuccess).toBe(true);
    expect(passed.filter((title) => titleOf(fault.number).test(title))).not.toEqual([]);
  });

  it.each(faults)("%s", async (_, fault) => {
    const { failed } = await source.run(argsOf(fault), fault);
    expect(failed.filter((title) => titleOf(fault.number).test(title))).not.toEqual([]);
  });
});

/** Tests in a story need those before them; all others are run alone. */
function argsOf({ number, test, story }: FaultRow): string[] {
  const project = test.startsWith("contract/") ? "contract*" : "unit";
  return ["--project", project, `test/${test}`, "-t", story ?? titleOf(number).source];
}
