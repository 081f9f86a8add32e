import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { deleteLocalRef, removeOldScratch, updateLocalRef } from "../../../../src/git/local/local-ref-update.ts";
import { makeTempFolder } from "../../../support/git-repositories.ts";
import { createInstantClock } from "../../../support/manual-clock.ts";
import { realClock, realRandom } from "../../../support/real-time.ts";

const [one, two, three] = ["1", "2", "3"].map((digit) => digit.repeat(40)) as [string, string, string];
const [race, denied] = ["E_GIT_PUSH_RACE", "E_GIT_PUSH_DENIED"];
type Files = Readonly<Record<string, string>>;
let commonDir = "";

beforeEach(async () => {
  const made = await makeTempFolder();
  commonDir = join(made.path, "fleet.git");
  await mkdir(join(commonDir, "objects"), { recursive: true });
  return made.remove;
});

async function write(files: Files): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(commonDir, name)), { recursive: true });
    await writeFile(join(commonDir, name), text);
  }
}

/** Each file of the repository: also a lock or a scratch file that was left. */
async function readAll(): Promise<Files> {
  const entries = await readdir(commonDir, { recursive: true, withFileTypes: true });
  const paths = entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path.slice(commonDir.length + 1), await readFile(path, "utf8")])),
  ) as Files;
}

const [a, b, packed] = ["refs/heads/a", "refs/heads/b", "packed-refs"] as const;
const ways = () => ({ commonDir, clock: createInstantClock(), random: realRandom });

describe("updateLocalRef", () => {
  it.each<[string, Files, { oldId?: string; ref?: string; gives: Files | string }]>([
    ["makes a branch", {}, { gives: { [a]: `${two}\n` } }],
    ["makes one in a folder", {}, { ref: `${a}/b`, gives: { [`${a}/b`]: `${two}\n` } }],
    ["moves one", { [a]: one }, { oldId: one, gives: { [a]: `${two}\n` } }],
    ["moves a packed one", { [packed]: `${one} ${a}\n` }, { oldId: one, gives: { [a]: `${two}\n` } }],
    ["moves none that is elsewhere", { [a]: three }, { oldId: one, gives: race }],
    ["makes none that is there", { [a]: one }, { gives: race }],
    ["moves none that is not there", {}, { oldId: one, gives: race }],
    ["writes nothing over a symbolic ref", { [a]: `ref: ${b}`, [b]: one }, { oldId: one, gives: denied }],
    ["writes nothing over a symbolic ref to none", { [a]: `ref: ${b}` }, { gives: denied }],
    ["makes none in the folder of another", { [a]: one }, { ref: `${a}/b`, gives: denied }],
    ["makes none in the folder of a packed one", { [packed]: `${one} ${a}\n` }, { ref: `${a}/b`, gives: denied }],
    ["makes none that would be the folder of another", { [`${a}/b`]: one }, { gives: denied }],
    ["waits for a lock of another program, and ends", { [`${a}.lock`]: "" }, { gives: "E_GIT_LOCKED" }],
    ["keeps a file that is no branch in the folder of its name", { [`${a}/x.lock`]: "" }, { gives: "ENOTEMPTY" }],
  ])("%s", async (_what, files, { oldId, ref = a, gives }) => {
    await write(files);
    const update = updateLocalRef({ ...ways(), ref, oldId, newId: two });
    if (typeof gives === "string") await expect(update).rejects.toMatchObject({ code: gives });
    else await update;
    expect(await readAll()).toEqual(typeof gives === "string" ? files : { ...files, ...gives });
  });

  it("makes a branch where folders of deleted ones were left empty", async () => {
    await mkdir(join(commonDir, a, "deep", "er"), { recursive: true });
    await updateLocalRef({ ...ways(), ref: a, oldId: undefined, newId: two });
    expect(await readAll()).toEqual({ [a]: `${two}\n` });
  });
});

describe("deleteLocalRef", () => {
  const others = { [b]: one };
  const rest = `# pack-refs with: sorted \n${one} ${b}\n`;
  const both = `# pack-refs with: sorted \n${one} ${a}\n${one} ${b}\n`;

  it.each<[string, Files, Files | string]>([
    ["deletes a branch", { [a]: one }, {}],
    ["deletes a packed one, and keeps the others", { [packed]: both }, { [packed]: rest }],
    ["deletes one that is packed elsewhere, too", { [a]: one, [packed]: both }, { [packed]: rest }],
    ["keeps all where it is not there", { [packed]: rest }, { [packed]: rest }],
    ["deletes none that is elsewhere", { [a]: two, [packed]: both }, race],
    ["deletes no symbolic ref", { [a]: `ref: ${b}` }, denied],
    ["deletes none while another program packs refs", { [a]: one, [`${packed}.lock`]: "" }, "E_GIT_LOCKED"],
  ])("%s", async (_what, files, gives) => {
    await write({ ...others, ...files });
    const removal = deleteLocalRef({ ...ways(), ref: a, oldId: one });
    if (typeof gives === "string") await expect(removal).rejects.toMatchObject({ code: gives });
    else await removal;
    expect(await readAll()).toEqual({ ...others, ...(typeof gives === "string" ? files : gives) });
  });
});

it("changes nothing when the signal is aborted", async () => {
  await write({ [a]: one });
  const reason = new Error("enough");
  const update = { ...ways(), ref: a, oldId: one, newId: two, signal: AbortSignal.abort(reason) };
  await expect(updateLocalRef(update)).rejects.toBe(reason);
  await expect(deleteLocalRef(update)).rejects.toBe(reason);
  expect(await readAll()).toEqual({ [a]: one });
});

it("removes scratch files that are older than an hour, and no other file", async () => {
  const [old, young] = [3_700, 3_500].map((seconds) => new Date(realClock.nowMs() - seconds * 1000));
  const scratch = [
    "rollcall-tmp-1",
    "objects/rollcall-tmp-2/pack",
    "objects/3-rollcall-tmp-",
    "config",
    "rollcall-tmp-4",
  ];
  await write(Object.fromEntries(scratch.map((name) => [name, ""])));
  for (const name of [...scratch, "objects/rollcall-tmp-2"])
    await utimes(join(commonDir, name), 0, (name === "rollcall-tmp-4" ? young : old) ?? 0);
  // A name that leads nowhere, as one that is deleted meanwhile.
  await symlink("nothing", join(commonDir, "rollcall-tmp-5"));
  await removeOldScratch(commonDir, realClock);
  expect(Object.keys(await readAll()).sort()).toEqual(["config", "objects/3-rollcall-tmp-", "rollcall-tmp-4"]);
  expect(existsSync(join(commonDir, "objects/rollcall-tmp-2"))).toBe(false);
});
