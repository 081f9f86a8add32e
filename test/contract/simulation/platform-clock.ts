// A process of its own, for platform.test.ts: it prints what a simulated process takes for the time.
import { realClock } from "../../../src/system/real-clock.ts";
import { installPlatform } from "../../simulation/platform.ts";
import { Scheduler, worldBeginMs } from "../../simulation/scheduler.ts";
import { createTrace } from "../../simulation/trace.ts";

const scheduler = new Scheduler(1, createTrace(undefined));
installPlatform(() => scheduler);
const times = (): readonly number[] => [
  realClock.nowMs() - worldBeginMs,
  realClock.monotonicMs(),
  realClock.suspendedMs?.() ?? 0,
];
const begin = times();
scheduler.sleptMs += 60_000;
process.stdout.write(JSON.stringify([begin, times()]));
