import { describe, expect, it } from "vitest";
import { deepestJsonLevel, describeJsonError } from "../../../src/core/go-json-error.ts";
import recorded from "./golden/json-errors.json" with { type: "json" };

describe("describeJsonError", () => {
  // What encoding/json of Go 1.24 answered to the same texts, in kube-apiserver or alone.
  it.each(recorded)("describes %j: %s", (text = "", error = "") => {
    expect(describeJsonError(text)).toBe(error);
  });

  it.each(["[]", "{}"])("counts how deep a text is, not how many %s it has", (part) => {
    expect(describeJsonError(`[${`${part},`.repeat(deepestJsonLevel + 500)}x`)).toBe(
      "invalid character 'x' looking for beginning of value",
    );
  });

  it("ends with a text that is too deep", () => {
    expect(describeJsonError("[".repeat(deepestJsonLevel + 1))).toBe("invalid character '[' exceeded max depth");
    expect(describeJsonError(`${"[".repeat(1_000_000)}`)).toBe("invalid character '[' exceeded max depth");
    expect(describeJsonError("[".repeat(deepestJsonLevel))).toBe("unexpected end of JSON input");
  });
});
