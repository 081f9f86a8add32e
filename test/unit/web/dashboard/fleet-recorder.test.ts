import { describe, expect, it } from "vitest";
import type { ClusterRow } from "../../../../src/model/generated/page-api.ts";
import { FleetRecorder } from "../../../../src/web/dashboard/fleet-recorder.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

function rowsOf(...phases: readonly string[]): ClusterRow[] {
  const signs: Readonly<Record<string, ClusterRow["state"]>> = {
    Ready: "ready",
    Leaving: "leaving",
    Joining: "notReady",
  };
  return phases.map((phase) => ({ phase, state: signs[phase] ?? "unknown" }) as ClusterRow);
}

describe("FleetRecorder", () => {
  it("keeps a series of each state that occurred, in the words of docs/cluster-states.md", async () => {
    const clock = createManualClock();
    const stopping = new AbortController();
    const recorder = new FleetRecorder(clock);
    let rows = rowsOf("Joining", "Ready");
    const running = recorder.run(() => rows, stopping.signal);
    rows = rowsOf("Ready", "Ready", "Leaving");
    const { ready, notReady, unknown, states = [] } = recorder.read(rows);
    expect(states.map(({ phase, counts }) => `${phase} ${counts.join(",")}`)).toEqual([
      "Ready 1,2",
      "Joining 1,0",
      "Leaving 0,1",
    ]);
    expect({ ready, notReady, unknown }).toEqual({ ready: [1, 2], notReady: [1, 1], unknown: [0, 0] });
    stopping.abort();
    await running;
  });

  it("has times that never fall, also when the clock was set back", async () => {
    const clock = createManualClock();
    const stopping = new AbortController();
    const recorder = new FleetRecorder(clock);
    const running = recorder.run(() => rowsOf("Ready"), stopping.signal);
    await clock.advance(120_000);
    clock.jump(-90_000);
    await clock.advance(60_000);
    const { times, ready } = recorder.read(rowsOf("Ready"));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(ready).toHaveLength(times.length);
    expect(times.at(-1)).toBe(Math.round(clock.nowMs() / 1000));
    stopping.abort();
    await running;
  });

  it("keeps one sample a minute, of a day, and has the present as the last one", async () => {
    const clock = createManualClock();
    const stopping = new AbortController();
    const recorder = new FleetRecorder(clock);
    const startSeconds = clock.nowMs() / 1000;
    const running = recorder.run(() => rowsOf("Ready"), stopping.signal);
    await clock.advance(59_999);
    expect(recorder.read([]).times).toEqual([startSeconds, startSeconds + 60]);
    await clock.advance(1);
    expect(recorder.read([])).toMatchObject({
      ready: [1, 1, 0],
      times: [startSeconds, startSeconds + 60, startSeconds + 60],
    });
    await clock.advance(1439 * 60_000);
    const { times } = recorder.read([]);
    expect([times.length, times[0]]).toEqual([1441, startSeconds + 60]);
    stopping.abort();
    await running;
  });

  it("keeps the times of the commits from falling where the clock was set back", () => {
    const recorder = new FleetRecorder(createManualClock());
    recorder.recordCommit("a", { appliedAtMs: 1_700_000_060_000, tookMs: 1000 });
    recorder.recordCommit("b", { appliedAtMs: 1_700_000_000_000, tookMs: 2000 });
    expect(recorder.read([]).commits.map(({ commit, time }) => [commit, time])).toEqual([
      ["b", 1_700_000_000],
      ["a", 1_700_000_060],
    ]);
  });

  it("has how long a commit took, as the metrics do: not of the first one of all, which may be years old", () => {
    const clock = createManualClock();
    const recorder = new FleetRecorder(clock);
    const run = { commit: "b", committedAtMs: clock.nowMs() - 3000, isApplied: true, appliedBefore: "a" };
    recorder.recordRun({ ...run, commit: "a", committedAtMs: 0, appliedBefore: undefined });
    recorder.recordRun({ ...run, isApplied: false });
    recorder.recordRun({ ...run, committedAtMs: undefined });
    recorder.recordRun(run);
    recorder.recordRun({ ...run, appliedBefore: "b" });
    const time = Math.round(clock.nowMs() / 1000);
    expect(recorder.read([]).commits).toEqual([{ commit: "b", time, seconds: 3 }]);
  });

  it("keeps the last 500 commits, each once in a row", () => {
    const recorder = new FleetRecorder(createManualClock());
    recorder.recordCommit("a", { appliedAtMs: 1_700_000_000_400, tookMs: 1500 });
    recorder.recordCommit("a", { appliedAtMs: 1_700_000_009_000, tookMs: 1 });
    recorder.recordCommit("b", { appliedAtMs: 1_700_000_000_600, tookMs: -5 });
    recorder.recordCommit("a", { appliedAtMs: 1_700_000_002_000, tookMs: 0 });
    expect(recorder.read([]).commits).toEqual([
      { commit: "a", time: 1_700_000_000, seconds: 1.5 },
      { commit: "b", time: 1_700_000_001, seconds: 0 },
      { commit: "a", time: 1_700_000_002, seconds: 0 },
    ]);
    const later = { appliedAtMs: 1_700_000_003_000, tookMs: 0 };
    for (let index = 0; index < 498; index++) recorder.recordCommit(`c${index}`, later);
    expect(
      recorder
        .read([])
        .commits.map(({ commit }) => commit)
        .slice(0, 2),
    ).toEqual(["b", "a"]);
    expect(recorder.read([]).commits).toHaveLength(500);
  });
});
