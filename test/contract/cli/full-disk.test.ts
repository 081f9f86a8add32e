import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { describeFailure, explainFailure } from "../../../src/cli/explain-failure.ts";
import { runAddToken } from "../../../src/cli/commands/add-token.ts";
import { runInit } from "../../../src/cli/commands/init.ts";
import { writeFileAtomically } from "../../../src/system/write-file-atomically.ts";
import { makeTempFolder } from "../../support/git-repositories.ts";
import { runCommand } from "../../support/plain-context.ts";
import { mountSmallDisk } from "../../support/small-disk.ts";

describe("a command that writes files to a disk that is full", () => {
  it("reports the disk, leaves no part of a file, and writes it as soon as there is room", async ({ skip }) => {
    const folder = await makeTempFolder();
    onTestFinished(folder.remove);
    const disk = await mountSmallDisk(join(folder.path, "disk"), 512);
    if (!disk) return skip("only root may mount a small disk");
    onTestFinished(() => disk.remove());
    await mkdir(join(disk.path, "tokens"));
    await mkdir(join(disk.path, "fleet"));
    await disk.fill();
    const dir = disk.path;
    const addToken = () => runCommand("add token", runAddToken, { args: ["edge"], options: { dir } });
    const init = () => runCommand("init", runInit, { args: [join(dir, "fleet")] });
    await expect(addToken()).rejects.toMatchObject({ code: "E_DISK_WRITE" });
    await expect(init()).rejects.toMatchObject({ code: "E_DISK_WRITE" });
    expect(await readdir(join(dir, "tokens"))).toEqual([]);
    expect(await readdir(join(dir, "fleet"))).toEqual([]);
    await disk.free();
    expect(await addToken()).toMatchObject({ code: 0 });
    expect(await init()).toMatchObject({ code: 0 });
  });

  it("names the file of a hub that the disk does not take", async ({ skip }) => {
    const folder = await makeTempFolder();
    onTestFinished(folder.remove);
    const disk = await mountSmallDisk(join(folder.path, "disk"), 64);
    if (!disk) return skip("only root may mount a small disk");
    onTestFinished(() => disk.remove());
    await disk.fill();
    const path = join(disk.path, "ports.json");
    const failure = await writeFileAtomically(path, "{}").catch((error: unknown) => explainFailure(error));
    expect(describeFailure(failure)).toMatch(new RegExp(`^rollcall: E_DISK_WRITE: write ${path}: ENOSPC\n`, "u"));
  });
});
