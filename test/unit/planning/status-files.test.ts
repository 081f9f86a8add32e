import { describe, expect, it } from "vitest";
import { toFile } from "../../../src/planning/render-status.ts";
import { StatusFiles } from "../../../src/planning/status-files.ts";
import { checksumLine } from "../../../src/planning/status-signature.ts";

describe("StatusFiles", () => {
  it("names what changed since it settled, and nothing that has the same content", () => {
    const files = new StatusFiles();
    files.set("b", toFile("1"));
    files.set("a", toFile("1"));
    expect([...files.changed()]).toEqual(["b", "a"]);
    files.settle();
    files.set("a", toFile("1"));
    files.set("c", undefined);
    expect([...files.changed()]).toEqual([]);
    files.set("a", toFile("2"));
    files.set("b", undefined);
    expect([...files.changed()]).toEqual(["a", "b"]);
    expect([...files.paths()]).toEqual(["a"]);
    expect(files.get("a")).toEqual(toFile("2"));
    expect(files.checksums().toString()).toBe(checksumLine("a", toFile("2").digest));
  });
});
