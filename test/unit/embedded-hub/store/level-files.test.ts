import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { afterEach, describe, expect, it } from "vitest";
import { openLevelPersistence } from "../../../../src/embedded-hub/store/level-persistence.ts";
import type { Persistence } from "../../../../src/embedded-hub/store/persistence.ts";
import type { Row } from "../../../../src/embedded-hub/store/row-format.ts";
import { makeRecord } from "../../../../src/embedded-hub/store/stored-record.ts";

const folders: string[] = [];

afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-level-"));
  folders.push(folder);
  return folder;
}

const open = (dir: string, owner = "a test") => openLevelPersistence({ dir, owner });

function row(mod: number): Row {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `n${mod}` } };
  return { kind: "put", record: makeRecord(`//configmaps/default/n${mod}`, object, { create: mod, mod }) };
}

const rowsFrom = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => row(from + index));

async function revisionsOf(persistence: Persistence): Promise<number[]> {
  const { rows } = await persistence.load();
  const revisions: number[] = [];
  for await (const { record } of rows) revisions.push(record.modRevision);
  return revisions;
}

async function reopened(dir: string): Promise<number[]> {
  const persistence = await open(dir);
  try {
    return await revisionsOf(persistence);
  } finally {
    await persistence.close(undefined);
  }
}

/** Changes the database while no store has it. */
async function change(dir: string, edit: (level: ClassicLevel<string, Buffer>) => Promise<void>): Promise<void> {
  const level = new ClassicLevel<string, Buffer>(join(dir, "log"), { valueEncoding: "buffer" });
  await edit(level);
  await level.close();
}

const damaged = expect.objectContaining({ code: "E_STORE_DAMAGED" }) as unknown;

describe("openLevelPersistence", () => {
  it("reads rows by rising revision, however many there are", async () => {
    const dir = await makeFolder();
    const persistence = await open(dir);
    await persistence.append(rowsFrom(1, 2_100));
    await persistence.close(2_100);
    expect(await reopened(dir)).toEqual(rowsFrom(1, 2_100).map(({ record }) => record.modRevision));
  });

  it("has nothing in a new folder", async () => {
    const persistence = await open(await makeFolder());
    expect((await persistence.load()).compactedRevision).toBe(0);
    expect(await revisionsOf(persistence)).toEqual([]);
    await persistence.close(0);
  });

  it("takes back the rows after the last good one when it recovers, and takes others", async () => {
    const dir = await makeFolder();
    const persistence = await open(dir);
    await persistence.append(rowsFrom(1, 20));
    await persistence.recover(15);
    expect(await revisionsOf(persistence)).toEqual(rowsFrom(1, 15).map(({ record }) => record.modRevision));
    await persistence.append([row(16)]);
    await persistence.close(16);
    expect((await reopened(dir)).at(-1)).toBe(16);
  });

  it("recovers to nothing, and when there is nothing to take back", async () => {
    const persistence = await open(await makeFolder());
    await persistence.append(rowsFrom(1, 3));
    await persistence.recover(3);
    expect(await revisionsOf(persistence)).toEqual([1, 2, 3]);
    await persistence.recover(0);
    expect(await revisionsOf(persistence)).toEqual([]);
    await persistence.close(0);
  });

  it("misses rows that a clean stop knew of, and none that were written after it", async () => {
    const dir = await makeFolder();
    const first = await open(dir);
    await first.append(rowsFrom(1, 3));
    await first.close(3);
    const second = await open(dir);
    await second.append([row(4)]);
    await second.close(undefined);
    await change(dir, (level) => level.del("r00000000000004"));
    expect(await reopened(dir)).toEqual([1, 2, 3]);
    await change(dir, (level) => level.del("r00000000000003"));
    await expect(reopened(dir)).rejects.toThrow(damaged);
  });

  it("remembers a compaction without a clean stop", async () => {
    const dir = await makeFolder();
    const persistence = await open(dir);
    await persistence.append(rowsFrom(1, 4));
    await persistence.compact({ revision: 3, rowCount: 2, obsolete: [2] });
    await persistence.close(undefined);
    const after = await open(dir);
    expect((await after.load()).compactedRevision).toBe(3);
    expect(await revisionsOf(after)).toEqual([1, 3, 4]);
    await after.close(undefined);
    await change(dir, (level) => level.batch([{ type: "del", key: "r00000000000001" }]));
    await expect(reopened(dir)).rejects.toThrow(damaged);
  });

  it("misses no row at the end of a compaction", async () => {
    const dir = await makeFolder();
    const persistence = await open(dir);
    await persistence.append(rowsFrom(1, 2));
    await persistence.close(2);
    const again = await open(dir);
    await again.compact({ revision: 1, rowCount: 1, obsolete: [] });
    await again.close(undefined);
    await change(dir, (level) => level.del("r00000000000002"));
    await expect(reopened(dir)).rejects.toThrow(damaged);
  });

  it("finds a row too many among the old ones, as it finds one too few", async () => {
    const dir = await makeFolder();
    const persistence = await open(dir);
    await persistence.append(rowsFrom(1, 3));
    await persistence.compact({ revision: 3, rowCount: 2, obsolete: [] });
    await persistence.close(3);
    await expect(reopened(dir)).rejects.toThrow(damaged);
  });

  it.each([
    { reason: "no JSON", meta: "{", code: "E_STORE_DAMAGED" },
    { reason: "null", meta: "null", code: "E_STORE_DAMAGED", message: "another format" },
    { reason: "a text", meta: '"meta"', code: "E_STORE_DAMAGED" },
    {
      reason: "a count that is none",
      meta: '{"format":1,"compactedRevision":0,"rowCount":0.5,"leastRevision":0}',
      code: "E_STORE_DAMAGED",
    },
    { reason: "no revision", meta: '{"format":1,"rowCount":0,"leastRevision":0}', code: "E_STORE_DAMAGED" },
    {
      reason: "a format before the first",
      meta: '{"format":0,"compactedRevision":0,"rowCount":0,"leastRevision":0}',
      code: "E_STORE_DAMAGED",
    },
    {
      reason: "a newer format",
      meta: '{"format":2,"compactedRevision":0,"rowCount":0,"leastRevision":0}',
      code: "E_STORE_VERSION",
    },
  ])("refuses a store whose metadata has $reason, and releases it", async ({ meta, code, message = "" }) => {
    const dir = await makeFolder();
    await (await open(dir)).close(0);
    await change(dir, (level) => level.put("meta", Buffer.from(meta)));
    await expect(open(dir)).rejects.toMatchObject({ code, message: expect.stringContaining(message) as string });
    await change(dir, (level) => level.del("meta"));
    expect(await reopened(dir)).toEqual([]);
  });

  it("names who has the folder, or another process when the owner is not known", async () => {
    const dir = await makeFolder();
    const first = await open(dir, "the first one");
    await expect(open(dir)).rejects.toMatchObject({
      code: "E_DIR_LOCKED",
      message: `${dir} is in use by the first one`,
      data: { dir, owner: "the first one" },
    });
    await rm(join(dir, "owner"));
    await expect(open(dir)).rejects.toMatchObject({ message: `${dir} is in use by another process` });
    await first.close(0);
  });
});
