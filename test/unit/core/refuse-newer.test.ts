import { describe, expect, it } from "vitest";
import { refuseNewer } from "../../../src/core/refuse-newer.ts";

describe("refuseNewer", () => {
  it.each([undefined, 1, "1", 2, "2", 0, "two", Number.NaN])("continues with format %j, where it knows 2", (format) => {
    expect(() => refuseNewer("read it", { format, known: 2 })).not.toThrow();
  });

  it.each([3, "3"])("reports in one sentence that %j is too new", (format) => {
    const refuse = () => refuseNewer("read it", { format, known: 2 });
    expect(refuse).toThrow("read it: it has format 3, this program reads 2");
    expect(refuse).toThrow(expect.objectContaining({ code: "E_STORE_VERSION" }) as Error);
  });
});
