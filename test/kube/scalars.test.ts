import process from "node:process";
import { describe, expect, it } from "vitest";
import { askHub } from "../support/scalars/ask-hub.ts";
import type { ScalarCase } from "../support/scalars/ask-hub.ts";
import { isDifferent } from "../support/scalars/known-differences.ts";
import { fieldCases, literals, ways } from "../support/scalars/make-cases.ts";
import { twoHubs } from "../support/two-hubs.ts";

/** Every how many-th case is asked: ROLLCALL_SCALARS_STEP=1 asks all 340,000, which takes half an hour. */
const step = Number(process.env["ROLLCALL_SCALARS_STEP"] ?? "331");

describe("every scalar in every field of every stored kind", () => {
  const clients = twoHubs();

  it("is stored or refused as a real kube-apiserver does", { timeout: 3_600_000 }, async () => {
    const cases = fieldCases()
      .flatMap((field) => literals.flatMap((literal) => ways.map((way): ScalarCase => ({ field, literal, way }))))
      .filter((_, index) => index % step === 0);
    const [here, there] = await Promise.all(clients.map((client) => askHub(client, `scalars-${process.pid}`, cases)));
    const differences = [...(here ?? [])].flatMap(([name, answer]) => {
      const real = there?.get(name) ?? [0, null];
      return isDifferent(name, answer, real) ? [{ name, embedded: answer, real }] : [];
    });
    expect(differences.slice(0, 20)).toEqual([]);
    expect(here?.size).toBe(cases.length);
  });
});
