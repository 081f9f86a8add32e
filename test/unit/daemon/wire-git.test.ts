import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repositorySpec } from "../../../src/cli/commands/repository-spec.ts";
import { forgeTokenOfFlags } from "../../../src/daemon/wire-git.ts";
import { readSettings } from "../../../src/settings/read-settings.ts";

const url = "https://git.example.com/fleet.git";
let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "rollcall-forge-token-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

function settingsOf(given: Readonly<Record<string, string>>) {
  return readSettings("run", { given: { repo: url, forge: "Gitea", ...given }, environment: {} });
}

describe("the token of the forge, where no Secret is named", () => {
  it("is that of the repository, as its file has it now, and goes to no other repository", async () => {
    const file = join(folder, "token");
    await writeFile(file, "first\n");
    const tokenOf = forgeTokenOfFlags(settingsOf({ "git-token-file": file }), url);
    expect(await tokenOf(url)).toBe("first");
    await writeFile(file, "second\n");
    expect(await tokenOf(url)).toBe("second");
    expect(await tokenOf("https://git.attacker.example/fleet.git")).toBeUndefined();
  });

  it("is asked for at the start, when there is none", () => {
    expect(() => repositorySpec(settingsOf({}))).toThrow(/--forge needs a token/u);
    expect(repositorySpec(settingsOf({ "git-token-file": "token" })).forge).toEqual({ provider: "Gitea" });
    expect(repositorySpec(settingsOf({ "forge-secret": "s" })).forge?.secretRef).toEqual({ name: "s" });
  });
});
