import { expect, it } from "vitest";
import { HeartbeatLog } from "../../../../src/web/dashboard/heartbeat-log.ts";

const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

it("keeps the last 60 heartbeats of each cluster", () => {
  const log = new HeartbeatLog(1000);
  for (let second = 1; second <= 62; second++) log.record("one/a", second * 1000);
  log.record("one/b", 5000);
  const watchedSince = timeOf(1);
  expect(log.read("one/a", undefined)).toStrictEqual({
    watchedSince,
    seen: Array.from({ length: 60 }, (_, index) => timeOf(index + 3)),
  });
  expect(log.read("one/b", "reported")).toStrictEqual({ last: "reported", watchedSince, seen: [timeOf(5)] });
  log.forget("one/b");
  expect(log.read("one/b", undefined)).toStrictEqual({ watchedSince, seen: [] });
});
