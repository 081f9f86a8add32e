import { describe, expect, it } from "vitest";
import { ApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import { invalid, isPathNotFound, notFound, pathNotFound } from "../../../../src/embedded-hub/failures/failures.ts";

describe("isPathNotFound", () => {
  const { message } = pathNotFound();

  it.each([
    { reason: "a path that nothing serves", error: pathNotFound(), expected: true },
    {
      reason: "an object that is not there",
      error: notFound({ group: "", plural: "pods", name: "a" }),
      expected: false,
    },
    { reason: "another failure in the same words", error: new ApiFailure(404, "NotFound", message), expected: false },
    { reason: "no failure of the hub", error: new Error(message), expected: false },
  ])("$expected for $reason", ({ error, expected }) => {
    expect(isPathNotFound(error)).toBe(expected);
  });

  it("is answered as kube-apiserver answers", () => {
    expect(pathNotFound().status).toMatchObject({ code: 404, reason: "NotFound", details: {}, message });
    expect(message).toBe("the server could not find the requested resource");
  });
});

describe("invalid", () => {
  it("A51 names 1,000 problems of an object, and how many more there are", () => {
    const errors = Array.from({ length: 40_000 }, (_, index) => ({
      field: `spec.items[${index}]`,
      reason: "FieldValueInvalid" as const,
      message: "Invalid value",
    }));
    const { status } = invalid({ group: "", kind: "Pod", name: "web" }, errors);
    expect(status.details?.causes).toHaveLength(1_000);
    expect(status.message).toMatch(/spec\.items\[999\]: Invalid value, and 39000 more problems\]$/u);
    expect(invalid({ group: "", kind: "Pod", name: "web" }, errors.slice(0, 1_000)).status.message).not.toContain(
      "more",
    );
  });

  it("A249 names one large value no more often than fits into an answer", () => {
    const message = `Invalid value: "${"a".repeat(1024 ** 2)}"`;
    const error = { field: "spec.scopes", reason: "FieldValueInvalid" as const, message };
    const { status } = invalid({ group: "", kind: "ResourceQuota", name: "a" }, Array<typeof error>(500).fill(error));
    expect(status.details?.causes).toHaveLength(3);
    expect(status.message).toMatch(/, and 497 more problems\]$/u);
    const huge = { ...error, message: message.repeat(5) };
    expect(invalid({ group: "", kind: "ResourceQuota", name: "a" }, [huge]).status.details?.causes).toHaveLength(1);
  });
});
