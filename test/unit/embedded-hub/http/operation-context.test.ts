import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../../src/embedded-hub/http/exchange.ts";
import { operationContext } from "../../../../src/embedded-hub/http/operation-context.ts";
import { administrator } from "../controllers/hub-world.ts";

const problems = { single: ["one", "two"], joined: ["one, two"] };
const query = { fieldManager: undefined, isDryRun: false, fieldValidation: "Warn" } as const;

function exchangeOf(userAgent: string | undefined, audit?: object): Exchange {
  const request = { headers: userAgent === undefined ? {} : { "user-agent": userAgent } };
  return { request, user: administrator, warnings: [], ...(audit && { audit }) } as unknown as Exchange;
}

describe("what the verbs know of a write", () => {
  it.each([
    { userAgent: "kubectl/v1.34 (linux)", manager: "kubectl" },
    { userAgent: "a\u0001b\u200bc d", manager: "abc d" },
    { userAgent: "x".repeat(200), manager: "x".repeat(128) },
    { userAgent: "", manager: "" },
    { userAgent: undefined, manager: "" },
  ])("is a manager from the client's name, unless it has one: $userAgent", ({ userAgent, manager }) => {
    expect(operationContext(exchangeOf(userAgent), query, problems)).toEqual({
      ...{ user: administrator, fieldManager: manager, fieldValidation: "Warn", isDryRun: false, warnings: [] },
      decodingProblems: ["one", "two"],
    });
    expect(operationContext(exchangeOf(userAgent), { ...query, fieldManager: "m" }, problems).fieldManager).toBe("m");
  });

  it("is what its body had, and how its audit is annotated", () => {
    const notes: string[] = [];
    const audit = { annotated: (key: string, value: string) => void notes.push(`${key} ${value}`) };
    const found = { literals: new Map([["a", "1.0"]]), places: { ofProblems: [1], ofField: () => 2 } };
    const strict = { ...query, fieldValidation: "Strict" } as const;
    const context = operationContext(exchangeOf("k", audit), strict, { ...problems, ...found });
    expect(context).toMatchObject({ decodingProblems: ["one, two"], numberLiterals: found.literals });
    expect(context.problemPlaces).toBe(found.places);
    context.annotate?.("key", "value");
    expect(notes).toEqual(["key value"]);
  });
});
