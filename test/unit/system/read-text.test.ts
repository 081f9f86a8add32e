import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readText } from "../../../src/system/read-text.ts";

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "rollcall-read-text-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("readText", () => {
  it("gives the text of a file", async () => {
    await writeFile(join(folder, "token"), "abc\n");
    expect(await readText(join(folder, "token"))).toBe("abc\n");
  });

  it.each([
    ["missing", "it is not there"],
    ["token/below", "a part of the path is no folder"],
    ["", "it is a folder"],
    ["\u0000", "it cannot be read"],
  ])("reports why %j cannot be read", async (name, reason) => {
    await writeFile(join(folder, "token"), "abc\n");
    const path = name === "" ? folder : `${folder}/${name}`;
    await expect(readText(path)).rejects.toMatchObject({
      code: "E_USAGE",
      message: `read ${path}: ${reason}`,
      remedy: expect.stringContaining("ls -ld PATH") as string,
    });
  });
});
