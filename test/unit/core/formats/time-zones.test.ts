import { describe, expect, it } from "vitest";
import { isTimeZone } from "../../../../src/core/formats/time-zones.ts";

describe("isTimeZone", () => {
  it.each([
    ...["UTC", "Europe/Berlin", "America/New_York", "US/Pacific", "Asia/Calcutta", "Asia/Kolkata", "EST5EDT", "GMT+0"],
    ...[
      "UCT",
      "CST6CDT",
      "ROC",
      "Etc/GMT+5",
      "Europe/Kyiv",
      "GMT0",
      "Zulu",
      "EST",
      "PST8PDT",
      "CET",
      "Africa/Porto-Novo",
    ],
  ])("takes %s", (name) => {
    expect(isTimeZone(name)).toBe(true);
  });

  it.each([
    ...["europe/berlin", "Europe/berlin", "EUROPE/BERLIN", "america/new_york", "utc", "Utc", "us/pacific", "+01:00"],
    ...["PST", "IST", "CTT", "SystemV/EST5", "Etc/Unknown", "Europe", "Mars/Olympus"],
  ])("does not take %s", (name) => {
    expect(isTimeZone(name)).toBe(false);
  });
});
