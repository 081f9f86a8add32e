import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { makeTempFolder } from "../support/git-repositories.ts";

const program = join(import.meta.dirname, "../../bin/rollcall.js");

/** A folder whose problems make over 1 MB, which no pipe holds; each file is small enough to be read. */
async function makeFolderOfProblems(): Promise<string> {
  const folder = await makeTempFolder();
  onTestFinished(folder.remove);
  const text = "apiVersion: rollcall.dev/v1alpha1\nkind: Clutser\nmetadata: {name: a}\n---\n".repeat(200);
  for (let index = 0; index < 200; index += 1) await writeFile(join(folder.path, `many-${String(index)}.yaml`), text);
  return folder.path;
}

it("ends without a stack when who reads the output stops before its end, as head does", async () => {
  const folder = await makeFolderOfProblems();
  const child = spawn(process.execPath, [program, "validate", folder], { stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (part: string) => (stderr += part));
  const closed = once(child, "close");
  await once(child.stdout, "data");
  child.stdout.destroy();
  expect({ closed: await closed, stderr }).toEqual({ closed: [141, null], stderr: "" });
});

it("ends in the same way when no process reads its errors", async () => {
  const child = spawn(process.execPath, [program, "validate", "/nonexistent"], { stdio: ["ignore", "pipe", "pipe"] });
  const closed = once(child, "close");
  child.stderr.destroy();
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => (stdout += part));
  expect({ closed: await closed, stdout }).toEqual({ closed: [141, null], stdout: "" });
});

/** Longer than the program waits at its end for what keeps it from ending. */
const readPauseMs = 5000;

it("prints everything to a reader who is slow, as a person at a pager is", async () => {
  const folder = await makeFolderOfProblems();
  const child = spawn(process.execPath, [program, "validate", folder], { stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => (stdout += part));
  await once(child.stdout, "data");
  child.stdout.pause();
  await pause(readPauseMs); // the person reads the first page
  child.stdout.resume();
  expect(await closed).toEqual([1, null]);
  expect(stdout.trimEnd().split("\n").at(-1)).toMatch(/^no document of a fleet in 200 files: \d+ problems/u);
});

it.runIf(existsSync("/dev/full"))("names a full disk that takes no output, without a stack", async () => {
  const full = await open("/dev/full", "w");
  onTestFinished(() => full.close());
  const child = spawn(process.execPath, [program, "explain", "cluster"], { stdio: ["ignore", full.fd, "pipe"] });
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (part: string) => (stderr += part));
  expect(await once(child, "close")).toEqual([1, null]);
  expect(stderr).toBe(
    "rollcall: E_DISK_WRITE: write the output: ENOSPC\n" +
      "What to do: Free space where the output is written to, or write it to another file.\n" +
      "See: docs/errors/E_DISK_WRITE.md\n",
  );
});

it.runIf(existsSync("/dev/full"))("ends without a stack when the disk takes none of its errors", async () => {
  const full = await open("/dev/full", "w");
  onTestFinished(() => full.close());
  const child = spawn(process.execPath, [program, "explain", "nope"], { stdio: ["ignore", "pipe", full.fd] });
  let stdout = "";
  child.stdout?.setEncoding("utf8").on("data", (part: string) => (stdout += part));
  expect({ closed: await once(child, "close"), stdout }).toEqual({ closed: [2, null], stdout: "" });
});
