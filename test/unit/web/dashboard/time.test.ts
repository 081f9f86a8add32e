import { afterEach, describe, expect, it } from "vitest";
import { sayExactly, sayTick } from "../../../../src/web/dashboard/browser/data/time.ts";

describe("sayTick", () => {
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
      expect(sayExactly(time)).toContain(sayTick(Date.parse(time) / 1000));
      expect(sayTick(Date.parse("2026-03-12T00:00:00Z") / 1000)).toBe("12 Mar");
    },
  );
});
