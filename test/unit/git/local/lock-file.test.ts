import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { sha256Hex } from "../../../../src/core/digest.ts";
import { releaseLockFile, takeLockFile } from "../../../../src/git/local/lock-file.ts";
import { describeProcess, formatOwner, isOwnerAlive, parseOwner } from "../../../../src/git/local/process-owner.ts";
import { makeTempFolder } from "../../../support/git-repositories.ts";

let folder = "";
let counter = 0;

beforeEach(async () => {
  const made = await makeTempFolder();
  folder = made.path;
  return made.remove;
});

async function take(): Promise<"taken" | "held"> {
  return takeLockFile({ path: join(folder, "lock"), temporaryPath: join(folder, `tmp-${counter++}`) });
}

async function pidOfEndedProcess(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  return child.pid ?? -1;
}

describe("takeLockFile", () => {
  it("gives a lock to one, and to the next after it is released", async () => {
    expect([await take(), await take()]).toEqual(["taken", "held"]);
    await releaseLockFile(join(folder, "lock"));
    expect(await take()).toBe("taken");
    expect(await readdir(folder)).toEqual(["lock"]);
  });

  it("gives it to exactly one of many", async () => {
    const results = await Promise.all(Array.from({ length: 20 }, () => take()));
    expect(results.filter((result) => result === "taken")).toHaveLength(1);
  });

  it("F25 takes over from a process that has ended, and lets one of many do so", async () => {
    const pid = await pidOfEndedProcess();
    for (let round = 0; round < 20; round++) {
      await writeFile(join(folder, "lock"), formatOwner({ pid, nonce: `${round}` }));
      const results = await Promise.all(Array.from({ length: 20 }, () => take()));
      expect(results.filter((result) => result === "taken")).toHaveLength(1);
      expect(parseOwner(await readFile(join(folder, "lock"), "utf8"))?.pid).toBe(process.pid);
    }
    expect(await readdir(folder)).toEqual(["lock"]);
  });

  it("continues when a process was killed while it took a lock over", async () => {
    const stale = formatOwner({ pid: await pidOfEndedProcess() });
    await writeFile(join(folder, "lock"), stale);
    const guard = join(folder, `rollcall-tmp-${sha256Hex(`${join(folder, "lock")}\n${stale}`).slice(0, 16)}`);
    await mkdir(guard);
    expect(await take()).toBe("held");
    const longAgo = new Date(Date.now() - 120_000);
    await utimes(guard, longAgo, longAgo);
    expect(await take()).toBe("taken");
    expect(await readdir(folder)).toEqual(["lock"]);
  });

  it("takes over from a process whose number another one has now", async () => {
    const self = await describeProcess();
    await writeFile(join(folder, "lock"), formatOwner({ ...self, startTicks: "1" }));
    expect(await take()).toBe("taken");
    await writeFile(join(folder, "lock"), formatOwner({ ...self, bootId: "another run of the machine" }));
    expect(await take()).toBe("taken");
  });

  it("leaves a lock alone whose owner lives", async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    onTestFinished(() => void child.kill());
    await once(child, "spawn");
    await writeFile(join(folder, "lock"), formatOwner({ pid: child.pid ?? -1 }));
    expect(await take()).toBe("held");
  });

  it.each(["", "0123456789012345678901234567890123456789\n", "rollcall {", "rollcall {}\n", 'rollcall {"pid":"1"}\n'])(
    "leaves a lock alone that it cannot have written: %j",
    async (content) => {
      await writeFile(join(folder, "lock"), content);
      expect(await take()).toBe("held");
      expect(await readFile(join(folder, "lock"), "utf8")).toBe(content);
    },
  );
});

describe("isOwnerAlive", () => {
  it("knows this process, and no impossible ones", async () => {
    expect(await isOwnerAlive(await describeProcess())).toBe(true);
    for (const pid of [0, -1, 1.5, Number.NaN, 2 ** 40]) expect(await isOwnerAlive({ pid })).toBe(false);
  });

  it("takes a process for ended that its parent has not waited for", async (context) => {
    if (process.platform !== "linux") return context.skip();
    // The shell becomes a program that waits for no child. Its first one ends after that, and stays as a zombie.
    const script = "exec 3<&0; cat <&3 & echo $!; exec 3<&-; exec sleep 600";
    const parent = spawn("sh", ["-c", script], { stdio: ["pipe", "pipe", "ignore"] });
    onTestFinished(() => void parent.kill());
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    const pid = Number(line.toString());
    await expect.poll(() => readFile(`/proc/${parent.pid}/comm`, "utf8")).toBe("sleep\n");
    expect(await isOwnerAlive({ pid })).toBe(true);
    parent.stdin.end();
    await expect.poll(() => isOwnerAlive({ pid })).toBe(false);
    expect(process.kill(pid, 0)).toBe(true);
  });
});
