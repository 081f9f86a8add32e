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
});
