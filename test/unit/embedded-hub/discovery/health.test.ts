import { describe, expect, it } from "vitest";
import type { HealthCheck } from "../../../../src/embedded-hub/discovery/health.ts";
import { answerHealth } from "../../../../src/embedded-hub/discovery/health.ts";

const checks = (isWell: boolean): readonly HealthCheck[] => [
  { name: "ping", endpoints: ["healthz", "livez", "readyz"], isWell: () => true },
  { name: "disk", endpoints: ["healthz", "readyz"], isWell: () => isWell },
];

describe("an endpoint of health", () => {
  it.each<readonly [string, boolean, number | undefined, string | undefined]>([
    ["/livez", false, 200, "ok"],
    ["/livez/", false, 200, "ok"],
    ["/readyz", true, 200, "ok"],
    ["/readyz?exclude=disk", false, 200, "ok"],
    ["/healthz", false, 500, "[+]ping ok\n[-]disk failed: reason withheld\nhealthz check failed\n"],
    ["/readyz?verbose", true, 200, "[+]ping ok\n[+]disk ok\nreadyz check passed\n"],
    ["/readyz?verbose&exclude=disk", false, 200, "[+]ping ok\n[+]disk excluded: ok\nreadyz check passed\n"],
    [
      ...(["/livez?verbose&exclude=disk", true, 200] as const),
      '[+]ping ok\nwarn: some health checks cannot be excluded: no matches for "disk"\nlivez check passed\n',
    ],
    ["/readyz/disk", true, 200, "ok"],
    ["/readyz/disk", false, 500, "internal server error: not well\n"],
    ["/livez/disk", true, undefined, undefined],
    ["/other", true, undefined, undefined],
    ["/", true, undefined, undefined],
  ])("%s, where the disk is well: %s", (target, isWell, statusCode, body) => {
    const { pathname, searchParams } = new URL(target, "http://hub");
    const answer = answerHealth(checks(isWell), pathname, searchParams);
    expect([answer?.statusCode, answer?.body]).toEqual([statusCode, body]);
  });
});
