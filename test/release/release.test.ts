import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { appendFile, cp, mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { version } from "../../src/core/version.ts";
import { makeTempFolder } from "../support/git-repositories.ts";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

describe("npm run release", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let checkout: string;
  let publicKey: string;

  async function release(...args: string[]): Promise<{ readonly code: unknown; readonly text: string }> {
    try {
      const { stdout } = await run(process.execPath, ["scripts/release.mjs", ...args], { cwd: checkout });
      return { code: 0, text: stdout };
    } catch (error) {
      const { code, stderr } = error as { code: number; stderr: string };
      return { code, text: stderr };
    }
  }

  beforeAll(async () => {
    folder = await makeTempFolder();
    checkout = join(folder.path, "checkout");
    await run("git", ["clone", "--quiet", root, checkout]);
    // Packages that the archive carries are copied; the others are only read.
    const lock = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")) as {
      readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
    };
    await mkdir(join(checkout, "node_modules"));
    for (const name of await readdir(join(root, "node_modules"))) {
      const path = `node_modules/${name}`;
      const isCarried = lock.packages[path] !== undefined && lock.packages[path].dev !== true;
      if (isCarried) await cp(join(root, path), join(checkout, path), { recursive: true });
      else await symlink(join(root, path), join(checkout, path));
    }
    const keys = generateKeyPairSync("ed25519");
    publicKey = join(folder.path, "release.pub");
    await writeFile(publicKey, keys.publicKey.export({ type: "spki", format: "pem" }));
    const key = join(folder.path, "release.key");
    await writeFile(key, keys.privateKey.export({ type: "pkcs8", format: "pem" }));
    for (const name of ["first", "second"]) {
      expect(await release("make", version, join(folder.path, name), "--key", key)).toMatchObject({ code: 0 });
    }
  }, 240_000);
  afterAll(() => folder.remove());

  it("makes everything that a user installs and checks", async () => {
    expect((await readdir(join(folder.path, "first"))).sort()).toEqual(
      [
        "CHANGELOG.md",
        "SHA256SUMS",
        "SHA256SUMS.sig",
        "provenance.json",
        `rollcall-${version}.tgz`,
        "rollcall-agent-chart-0.1.0.tgz",
        "rollcall-agent.mjs",
        "rollcall-chart-0.1.0.tgz",
        "rollcall.mjs",
        "sbom.cdx.json",
      ].sort(),
    );
    const sbom = JSON.parse(await readFile(join(folder.path, "first/sbom.cdx.json"), "utf8")) as {
      readonly components: readonly { readonly name: string }[];
    };
    expect(sbom.components.map(({ name }) => name)).toEqual(expect.arrayContaining(["undici", "classic-level"]));
  });

  it("A46 makes the same bytes of the same commit", async () => {
    const [first, second] = await Promise.all(
      ["first", "second"].map((name) => readFile(join(folder.path, name, "SHA256SUMS"), "utf8")),
    );
    expect(first).toBe(second);
  });

  it("A46 verifies what was signed, and notices one byte more", async () => {
    const made = join(folder.path, "first");
    expect(await release("verify", made, publicKey)).toMatchObject({ code: 0 });
    for (const name of await readdir(made)) {
      const changed = join(folder.path, "changed", name);
      await cp(made, changed, { recursive: true });
      await appendFile(join(changed, name), " ");
      expect(await release("verify", changed, publicKey), name).toMatchObject({ code: 1 });
    }
  });

  it("refuses another version, and a work tree with changes", async () => {
    expect(await release("make", "9.9.9", join(folder.path, "none"))).toMatchObject({ code: 2 });
    await writeFile(join(checkout, "new.txt"), "");
    expect(await release("make", version, join(folder.path, "none"))).toMatchObject({ code: 1 });
  });
});
