import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repositorySpec } from "../../../src/cli/commands/repository-spec.ts";
import { forgeAccessOfFlags } from "../../../src/daemon/wire-git.ts";
import { readSettings } from "../../../src/settings/read-settings.ts";

const url = "https://git.example.com/fleet.git";
let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "rollcall-forge-token-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

function settingsOf(given: Readonly<Record<string, string>>) {
  return readSettings("run", { given: { repo: url, forge: "Gitea", ...given }, environment: {} });
}

describe("the access to the forge, where no Secret is named", () => {
  it("has the token of the repository, as its file has it now, and is sent to no other repository", async () => {
    const file = join(folder, "token");
    await writeFile(file, "first\n");
    const { token: tokenOf } = forgeAccessOfFlags(settingsOf({ "git-token-file": file }), url);
    expect(await tokenOf(url)).toBe("first");
    await writeFile(file, "second\n");
    expect(await tokenOf(url)).toBe("second");
    expect(await tokenOf("https://git.attacker.example/fleet.git")).toBeUndefined();
  });

  it("has the certificates of --git-ca-file, for no other repository", async () => {
    const file = join(folder, "ca");
    await writeFile(file, "first");
    const { caBundle } = forgeAccessOfFlags(settingsOf({ "git-token-file": file, "git-ca-file": file }), url);
    expect(await caBundle(url)).toBe("first");
    expect(await caBundle("https://git.attacker.example/fleet.git")).toBeUndefined();
    expect(await forgeAccessOfFlags(settingsOf({ "git-token-file": file }), url).caBundle(url)).toBeUndefined();
  });

  it("needs a token at the start, when there is none", () => {
    expect(() => repositorySpec(settingsOf({}))).toThrow(/--forge needs a token/u);
    expect(repositorySpec(settingsOf({ "git-token-file": "token" })).forge).toEqual({ provider: "Gitea" });
    expect(repositorySpec(settingsOf({ "forge-secret": "s" })).forge?.secretRef).toEqual({ name: "s" });
  });
});
