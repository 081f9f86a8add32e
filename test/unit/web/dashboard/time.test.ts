import { afterEach, describe, expect, it } from "vitest";
import { formatExactly, formatTick } from "../../../../src/web/dashboard/browser/data/time.ts";

describe("formatTick", () => {
  const zoneBefore = process.env["TZ"];
  afterEach(() => {
    if (zoneBefore === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zoneBefore;
  });

  it.each(["UTC", "Asia/Tokyo", "America/New_York"])(
    "is the same hour as the exact time of a browser in %s",
    (zone) => {
      process.env["TZ"] = zone;
      const time = "2026-03-12T14:05:00Z";
      expect(formatExactly(time)).toContain(formatTick(Date.parse(time) / 1000));
      expect(formatTick(Date.parse("2026-03-12T00:00:00Z") / 1000)).toBe("12 Mar");
    },
  );
});
