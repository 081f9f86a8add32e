import { chmod, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { makeNativeHttpRemote } from "../../../../src/git/engine/native-http-remote.ts";
import type { NativeHttpOptions } from "../../../../src/git/engine/native-http-remote.ts";
import { makeTempFolder } from "../../../support/git-repositories.ts";
import { realRandom } from "../../../support/real-time.ts";

const [url, ref] = ["https://git.example.com/fleet.git", "refs/heads/main"];
const usual = "[http]\n\tlowSpeedLimit = 1000\n\tlowSpeedTime = 120\n";
const origin = '[http "https://git.example.com"]\n';
let folder = "";

beforeEach(async () => {
  const made = await makeTempFolder();
  folder = made.path;
  await writeScript("exit 0");
  return async () => {
    await rm(`${folder}.seen`, { force: true });
    await made.remove();
  };
});

/** A program in the place of git, which records its configuration, the modes of the files and one more line. */
async function writeScript(end: string, line = ""): Promise<void> {
  const record = `{ cat "$GIT_CONFIG_GLOBAL"; stat -c '%a %n' "\${GIT_CONFIG_GLOBAL%/*}"/*; ${line || ":"}; }`;
  await writeFile(join(folder, "git"), `#!/bin/sh\n${record} > "$PWD.seen"\n${end}\n`);
  await chmod(join(folder, "git"), 0o755);
}

function open(options: Partial<NativeHttpOptions> = {}) {
  const searchPath = `${folder}:/usr/bin:/bin`;
  const remote = makeNativeHttpRemote({ folder, url, random: realRandom, searchPath, ...options });
  onTestFinished(() => remote.close());
  const fetch = (signal?: AbortSignal): Promise<void> =>
    remote.fetch({ ref, localRef: "refs/cache/x", gitDir: join(folder, "none"), ...(signal ? { signal } : {}) });
  return { remote, fetch };
}

const seen = (): Promise<string> => readFile(`${folder}.seen`, "utf8");

describe("the configuration of a fetch", () => {
  const route = async () => ({ caBundle: "CA", proxyUrl: 'http://u:p"w\\@proxy.example.com' });
  const caLine = (): string => `\tsslCAInfo = "${folder}/ca-0.pem"\n`;
  const proxyLine = '\tproxy = "http://u:p\\"w\\\\@proxy.example.com"\n';
  const header = (pair: string): string =>
    `\textraHeader = "Authorization: Basic ${Buffer.from(pair).toString("base64")}"\n`;

  it.each<[string, Partial<NativeHttpOptions>, () => string]>([
    ["nothing that is given", {}, () => usual + origin],
    [
      "a token, for its origin alone",
      { credentials: { kind: "token", secret: "t" } },
      () => usual + origin + header("x-access-token:t"),
    ],
    [
      "credentials that are read now",
      { credentials: async () => ({ kind: "basic", username: "u", secret: "s" }) },
      () => usual + origin + header("u:s"),
    ],
    ["certificates", { caBundle: "CA" }, () => usual + caLine() + origin],
    [
      "a proxy",
      { proxyUrl: "http://proxy.example.com" },
      () => `${usual}\tproxy = "http://proxy.example.com"\n${origin}`,
    ],
    ["the route of now", { route }, () => usual + caLine() + proxyLine + origin],
  ])("has %s", async (_what, options, expected) => {
    await open(options).fetch();
    // Behind it are the modes of the files.
    expect((await seen()).split(/^\d+ \//mu)[0]).toBe(expected());
  });

  it.each([
    ["succeeds", "exit 0"],
    ["fails", "exit 1"],
    ["is killed", "kill -9 $$"],
  ])("A35 A45 is ours alone while git runs, and in no file after a fetch that %s", async (_what, end) => {
    await writeScript(end);
    const { fetch } = open({ caBundle: "CA", credentials: { kind: "token", secret: "t" } });
    await fetch().catch(() => undefined);
    const lines = (await seen()).split("\n");
    for (const name of ["ca-0.pem", "git-config-0"]) expect(lines).toContain(`600 ${join(folder, name)}`);
    expect(await readdir(folder)).toEqual(["git"]);
  });

  it("is another one for each of two fetches at once, and used again after them", async () => {
    await writeScript("exec sleep 100000");
    const { fetch } = open();
    const [stop, reason] = [new AbortController(), new Error("enough")];
    const fetches = [fetch(stop.signal), fetch(stop.signal)].map((work) => work.catch((error: unknown) => error));
    await expect.poll(async () => (await readdir(folder)).sort()).toEqual(["git", "git-config-0", "git-config-1"]);
    stop.abort(reason);
    expect(await Promise.all(fetches)).toEqual([reason, reason]);
    await writeScript("exit 0");
    await fetch();
    expect(await seen()).toContain("/git-config-0\n");
    expect(await seen()).not.toContain("/git-config-1\n");
  });
});

describe("a fetch", () => {
  it("that fails names the ref, with what git reports", async () => {
    await writeScript("echo 'fatal: it is broken' >&2; exit 128");
    const error = { code: "E_GIT_REMOTE", data: { ref }, message: expect.stringContaining("it is broken") as string };
    await expect(open().fetch()).rejects.toMatchObject(error);
  });

  it.each([
    [url, "https"],
    ["http://git.example.com/fleet.git", "http"],
  ])("of %s may use %s alone, within the limits of a process", async (address, protocol) => {
    await writeScript("exit 0", 'echo "$GIT_ALLOW_PROTOCOL"; ulimit -f');
    await open({ url: address, processLimits: { fileBytes: 1024 ** 2 } }).fetch();
    expect((await seen()).split("\n").slice(-3)).toEqual([protocol, "2048", ""]);
  });
});

it("a call that is stopped already ends with the reason", async () => {
  const { remote, fetch } = open();
  const [reason, id] = [new Error("enough"), "1".repeat(40)];
  const signal = AbortSignal.abort(reason);
  const push = { ref, oldId: undefined, newId: id, objects: [], gitDir: "/none", signal };
  for (const call of [
    () => remote.readRef(ref, signal),
    () => remote.readRefs("refs/", signal),
    () => remote.push(push),
    () => fetch(signal),
  ])
    await expect(call()).rejects.toBe(reason);
});
