import { generateKeyPairSync, sign } from "node:crypto";
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runVersion } from "../../../../src/cli/commands/version.ts";
import { sha256Hex } from "../../../../src/core/digest.ts";
import { version } from "../../../../src/core/version.ts";
import { readSettings } from "../../../../src/settings/read-settings.ts";
import { packageListPath, packageSignaturePath } from "../../../../src/system/verify-package.ts";
import { makeTempFolder } from "../../../support/git-repositories.ts";

const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });

describe("rollcall version", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let key: string;

  async function run(
    given: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly code: number; readonly text: string }> {
    let text = "";
    const settings = readSettings("version", { given, environment: {} });
    const code = await runVersion({ settings, stdout: { write: (part) => (text += part) } });
    return { code, text };
  }

  beforeEach(async () => {
    folder = await makeTempFolder();
    key = join(folder.path, "release.pub");
    await writeFile(key, keys.publicKey.export({ type: "spki", format: "pem" }));
    await mkdir(join(folder.path, "package/dist"), { recursive: true });
    await writeFile(join(folder.path, "package/dist/main.js"), "program");
    const files = [{ path: "dist/main.js", sha256: sha256Hex("program") }];
    const list = JSON.stringify({ _type: "https://rollcall.dev/package-files/v1", version, commit: "c0ffee", files });
    await writeFile(join(folder.path, "package", packageListPath), list);
    await writeFile(
      join(folder.path, "package", packageSignaturePath),
      sign("sha256", Buffer.from(list), keys.privateKey),
    );
  });
  afterEach(() => folder.remove());

  it("prints the version, without --verify", async () => {
    expect(await run({})).toEqual({ code: 0, text: `${version}\n` });
  });

  it("prints with --verify what was verified, and what was not without --key", async () => {
    expect(await run({ verify: true, package: join(folder.path, "package") })).toEqual({
      code: 0,
      text: `rollcall ${version}, made of commit c0ffee
verified: 1 file, all as in the package's list
not verified: who made the list; name the public key of the releases, from a second place, with --key
`,
    });
  });

  it("verifies the list of --package by --key", async () => {
    expect(await run({ verify: true, package: join(folder.path, "package"), key })).toMatchObject({
      code: 0,
      text: expect.stringContaining(`verified: the list is signed by the key of ${key}\n`) as string,
    });
  });

  it("A46 ends with 1 for one byte more in a file, and names the file", async () => {
    await appendFile(join(folder.path, "package/dist/main.js"), " ");
    const { code, text } = await run({ verify: true, package: join(folder.path, "package"), key });
    expect(code).toBe(1);
    expect(text).toContain("differs     dist/main.js\n");
    expect(text).toContain("failed: 1 difference from the package's list of 1 file\n");
  });

  it("A46 ends with 1 for a list that the key did not sign", async () => {
    await appendFile(join(folder.path, "package", packageListPath), " ");
    const { code, text } = await run({ verify: true, package: join(folder.path, "package"), key });
    expect(code).toBe(1);
    expect(text).toContain(`failed: the list is not signed by the key of ${key}\n`);
  });

  it("asks for --package where the program is not in a package", async () => {
    await expect(run({ verify: true })).rejects.toMatchObject({
      code: "E_INSTALLATION",
      remedy: expect.stringContaining("--package") as string,
    });
  });
});
