import { describe, expect, it } from "vitest";
import type { TypedOptions } from "../../simulation/check-options.ts";
import { misfitOfOptions } from "../../simulation/check-options.ts";

const defaults = { seed: "1", hours: "8", clusters: "5", heartbeat: "60", calm: "0" };

function check(options: Partial<TypedOptions>): string | undefined {
  return misfitOfOptions({ ...defaults, ...options });
}

describe("options of the simulator", () => {
  it.each<Partial<TypedOptions>>([
    {},
    { seed: "new", seeds: "3", minutes: "0.5" },
    { hours: "0.6", calm: "0.5" },
    { drills: "files,late views" },
    { heartbeat: "120" },
    { heartbeat: "3600", calm: "3" },
  ])("take %o", (options) => {
    expect(check(options)).toBeUndefined();
  });

  it.each<[Partial<TypedOptions>, string]>([
    [{ seed: "abc" }, "--seed abc: a whole number of at least 0 is needed"],
    [{ seed: "1.5" }, "--seed 1.5: a whole number of at least 0 is needed"],
    [{ seeds: "0" }, "--seeds 0: a whole number of at least 1 is needed"],
    [{ hours: "0" }, "--hours 0: a number of at least 0.1 is needed"],
    [{ hours: "" }, "--hours : a number of at least 0.1 is needed"],
    [{ clusters: "-3" }, "--clusters -3: a whole number of at least 1 is needed"],
    [{ heartbeat: "3601" }, "--heartbeat 3601: a whole number from 1 to 3600 is needed"],
    [{ calm: "Infinity" }, "--calm Infinity: a number of at least 0 is needed"],
    [{ minutes: "soon" }, "--minutes soon: a number of at least 0 is needed"],
  ])("refuse the number of %o", (options, misfit) => {
    expect(check(options)).toBe(misfit);
  });

  it("refuse a drill that there is not, and name all that there are", () => {
    expect(check({ drills: "files,night" })).toMatch(/^--drills night: there is no such drill, only files, outages, /u);
  });

  it("refuse a heartbeat with which no agent reads its facts until the fleet is checked", () => {
    const misfit =
      "--heartbeat 3600: agents read the facts of their clusters so rarely that --calm 2.8 or more is needed";
    expect(check({ heartbeat: "3600" })).toBe(misfit);
    expect(check({ heartbeat: "3600", calm: "2.7" })).toBe(misfit);
    expect(check({ heartbeat: "3600", calm: "2.8" })).toBeUndefined();
  });
});
