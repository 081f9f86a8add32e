import { describe, expect, it } from "vitest";
import { parseGoBool } from "../../../../src/core/formats/go-bool.ts";

describe("parseGoBool", () => {
  it.each(["1", "t", "T", "TRUE", "true", "True"])("takes %s for true", (text) => {
    expect(parseGoBool(text)).toBe(true);
  });

  it.each(["0", "f", "F", "FALSE", "false", "False"])("takes %s for false", (text) => {
    expect(parseGoBool(text)).toBe(false);
  });

  it.each(["", "yes", "tRUE", " true", "on", "2"])("takes %j for neither", (text) => {
    expect(parseGoBool(text)).toBeUndefined();
  });
});
