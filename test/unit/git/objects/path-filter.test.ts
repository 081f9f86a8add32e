import { describe, expect, it } from "vitest";
import { makePathFilter } from "../../../../src/git/objects/path-filter.ts";

describe("makePathFilter", () => {
  it("enters only folders on the way to what is asked for", () => {
    const filter = makePathFilter(["clusters/eu", "./tokens/"]);
    const enters = ["clusters", "clusters/eu", "clusters/eu/a", "clusters/us", "clusters/eu-2", "tokens", "tok"];
    expect(enters.filter((path) => filter.entersFolder(path))).toEqual([
      "clusters",
      "clusters/eu",
      "clusters/eu/a",
      "tokens",
    ]);
    expect(
      ["clusters", "clusters/eu", "clusters/eu/a", "clusters/eu.yaml", "tokens/x"].filter((p) =>
        filter.includesFile(p),
      ),
    ).toEqual(["clusters/eu", "clusters/eu/a", "tokens/x"]);
  });

  it.each([[undefined], [["."]], [["./"]], [[""]], [["a", "/"]]])("takes %j for everything", (paths) => {
    expect(makePathFilter(paths).includesFile("any/thing")).toBe(true);
    expect(makePathFilter(paths).entersFolder("any")).toBe(true);
  });

  it("has nothing where no path is asked for", () => {
    const filter = makePathFilter([]);
    expect([filter.includesFile("a"), filter.entersFolder("a")]).toEqual([false, false]);
  });

  it("A12 A28 knows no wildcard and no way up", () => {
    const filter = makePathFilter(["*", "../clusters", ":(top)x", "clusters/../tokens"]);
    for (const path of ["clusters/a", "tokens/a", "x"]) expect(filter.includesFile(path)).toBe(false);
    expect(filter.includesFile("*/a")).toBe(true);
  });
});
