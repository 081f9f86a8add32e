import { describe, expect, it } from "vitest";
import { BodyDeadlines } from "../../../../src/embedded-hub/http/body-deadlines.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

function open() {
  const clock = createManualClock();
  const deadlines = new BodyDeadlines(clock);
  const late: string[] = [];
  const send = (name: string) => {
    const request = { name };
    deadlines.await(request, () => {
      late.push(name);
      deadlines.forget(request);
    });
    return { arrived: () => deadlines.forget(request) };
  };
  return { clock, deadlines, late, send };
}

describe("a client that sends a body", () => {
  it("A57 has a minute, and not the time of those that came later", async () => {
    const { clock, late, send } = open();
    send("first");
    await clock.advance(30_000);
    send("second");
    await clock.advance(25_000);
    expect(late).toEqual([]);
    await clock.advance(10_000);
    expect(late).toEqual(["first"]);
    await clock.advance(30_000);
    expect(late).toEqual(["first", "second"]);
    expect(clock.sleepers).toBe(0);
  });

  it("is not late when the body has arrived, also when others come afterwards", async () => {
    const { clock, late, send } = open();
    send("quick").arrived();
    await clock.advance(120_000);
    send("slow");
    await clock.advance(65_000);
    expect(late).toEqual(["slow"]);
  });

  it("is not watched by a hub that stops", async () => {
    const { clock, deadlines, late, send } = open();
    send("any");
    deadlines.close();
    await clock.advance(120_000);
    expect([late, clock.sleepers]).toEqual([[], 0]);
  });
});
