import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeTempFolder } from "../support/git-repositories.ts";

const program = join(import.meta.dirname, "../../bin/rollcall.js");

it("ends without a stack when who reads the output stops before its end, as head does", async () => {
  const folder = await makeTempFolder();
  onTestFinished(folder.remove);
  // Each file is small enough to be read; the problems of all make over 1 MB, which no pipe holds.
  const text = "apiVersion: rollcall.dev/v1alpha1\nkind: Clutser\nmetadata: {name: a}\n---\n".repeat(200);
  for (let index = 0; index < 200; index += 1) await writeFile(join(folder.path, `many-${String(index)}.yaml`), text);
  const child = spawn(process.execPath, [program, "validate", folder.path], { stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (part: string) => (stderr += part));
  const closed = once(child, "close");
  await once(child.stdout, "data");
  child.stdout.destroy();
  expect({ closed: await closed, stderr }).toEqual({ closed: [141, null], stderr: "" });
});
