import { mkdtemp, readFile, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../../support/until.ts";
import { openAuditFile } from "../../../../src/embedded-hub/audit/audit-file.ts";

async function inFolder(options: { readonly maxBytes: number; readonly maxBackups: number }) {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-audit-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const lost: number[] = [];
  const open = () =>
    openAuditFile({
      path: join(folder, "audit.log"),
      nowMs: () => 0,
      onFailure: (_error, count) => lost.push(count),
      ...options,
    });
  const read = async () => {
    const names = (await readdir(folder)).sort();
    return Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const));
  };
  return { folder, open, read, lost };
}

describe("openAuditFile", () => {
  it("renames the file before a line would make it too large, and keeps whole lines and the newest files", async () => {
    const { folder, open, read } = await inFolder({ maxBytes: 8, maxBackups: 2 });
    const file = await open();
    for (let index = 0; index < 9; index += 1) file.append(`l${index}\n`);
    await file.close();
    const again = await open();
    again.append("a line that is longer\n");
    again.append("end\n");
    await again.close();
    expect(await read()).toEqual([
      ["audit-1970-01-01T00-00-00.004.log", "l8\n"],
      ["audit-1970-01-01T00-00-00.005.log", "a line that is longer\n"],
      ["audit.log", "end\n"],
    ]);
    expect((await stat(join(folder, "audit.log"))).mode & 0o777).toBe(0o600);
  });

  it("keeps every line in order when many come at once, and lets requests wait beyond 16 MiB", async () => {
    const { open, read } = await inFolder({ maxBytes: 1024 ** 3, maxBackups: 0 });
    const file = await open();
    const line = `${"x".repeat(1024 * 1024)}\n`;
    for (let index = 0; index < 16; index += 1) file.append(line);
    const waiting = file.whenRoomy();
    expect(waiting).toBeDefined();
    await waiting;
    expect(file.whenRoomy()).toBeUndefined();
    await file.close();
    expect((await read())[0]?.[1]).toBe(line.repeat(16));
  });

  it("counts lines that the disk does not take, and writes later ones", async () => {
    const { folder, open, read, lost } = await inFolder({ maxBytes: 4, maxBackups: 1 });
    const file = await open();
    file.append("one\n");
    await until(read, (files) => files[0]?.[1] === "one\n");
    await rm(folder, { recursive: true });
    file.append("two\n");
    await file.close();
    expect(lost).toEqual([1]);
    await expect(read()).rejects.toThrow("ENOENT");
  });

  it("reports why a log cannot be opened", async () => {
    const options = { maxBytes: 1, maxBackups: 1, nowMs: () => 0, onFailure: () => undefined };
    await expect(openAuditFile({ path: "/absent/folder/audit.log", ...options })).rejects.toMatchObject({
      code: "E_DISK_WRITE",
      message: "write the audit log /absent/folder/audit.log: ENOENT",
    });
  });
});
