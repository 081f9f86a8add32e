import type { KeyObject } from "node:crypto";
import { generateKeyPairSync, sign } from "node:crypto";
import { appendFile, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256Hex } from "../../../src/core/digest.ts";
import { packageListPath, packageSignaturePath, verifyPackage } from "../../../src/system/verify-package.ts";
import { makeTempFolder } from "../../support/git-repositories.ts";

const files = { "bin/rollcall.js": "start", "dist/main.js": "program", "package.json": "{}" };
const listType = "https://rollcall.dev/package-files/v1";
const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });

describe("verifyPackage", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let root: string;

  async function write(path: string, content: string | Buffer): Promise<void> {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }

  async function keyFile(key: KeyObject): Promise<string> {
    const path = join(folder.path, "release.pub");
    await writeFile(path, key.export({ type: "spki", format: "pem" }));
    return path;
  }

  beforeEach(async () => {
    folder = await makeTempFolder();
    root = join(folder.path, "package");
    for (const [path, content] of Object.entries(files)) await write(path, content);
    const listed = Object.entries(files).map(([path, content]) => ({ path, sha256: sha256Hex(content) }));
    const list = { _type: listType, version: "1.2.3", commit: "c0ffee", files: listed };
    await write(packageListPath, JSON.stringify(list));
    await write(packageSignaturePath, sign("sha256", Buffer.from(JSON.stringify(list)), keys.privateKey));
  });
  afterEach(() => folder.remove());

  it("finds no difference in what is installed as it was released", async () => {
    expect(await verifyPackage(root)).toEqual({
      version: "1.2.3",
      commit: "c0ffee",
      fileCount: 3,
      differences: [],
      isSigned: undefined,
    });
  });

  it("A46 names each file that differs, is missing, is additional or is no file", async () => {
    await appendFile(join(root, "dist/main.js"), " ");
    await rm(join(root, "package.json"));
    await write("dist/node_modules/undici/index.js", "stolen");
    await rm(join(root, "bin/rollcall.js"));
    await write("../elsewhere.js", files["bin/rollcall.js"]);
    await symlink(join(folder.path, "elsewhere.js"), join(root, "bin/rollcall.js"));
    expect((await verifyPackage(root)).differences).toEqual([
      { path: "bin/rollcall.js", kind: "differs" },
      { path: "dist/main.js", kind: "differs" },
      { path: "dist/node_modules/undici/index.js", kind: "additional" },
      { path: "package.json", kind: "missing" },
    ]);
  });

  const odd = (): Buffer => Buffer.concat([Buffer.from(`${root}/dist/`), Buffer.of(0xff)]);

  it("A46 names a file whose name is not UTF-8 as an additional one", async () => {
    await writeFile(odd(), "stolen");
    expect((await verifyPackage(root)).differences).toEqual([{ path: "dist/\ufffd", kind: "additional" }]);
  });

  it("A46 believes no folder whose name is not UTF-8, which Node.js can read from version 26 on", async () => {
    await mkdir(odd());
    await writeFile(Buffer.concat([odd(), Buffer.from("/stolen.js")]), "");
    const outcome = await verifyPackage(root).then(
      ({ differences }) => differences,
      (error: unknown) => error,
    );
    if (Number.parseInt(process.versions.node, 10) < 26) expect(outcome).toMatchObject({ code: "E_READ" });
    else expect(outcome).toEqual([{ path: "dist/\ufffd/stolen.js", kind: "additional" }]);
  });

  it("takes no offence at npm's links to programs of the package, and only at others", async () => {
    const links = join(root, "node_modules/.bin");
    await mkdir(links, { recursive: true });
    await symlink(join(root, "bin/rollcall.js"), join(links, "inside"));
    await write("../elsewhere.js", "");
    await symlink(join(folder.path, "elsewhere.js"), join(links, "outside"));
    await symlink(join(root, "nothing"), join(links, "dangling"));
    await symlink(join(root, "bin/rollcall.js"), join(root, "dist/link.js"));
    await write("node_modules/.bin/file", "");
    expect((await verifyPackage(root)).differences).toEqual(
      ["dist/link.js", "node_modules/.bin/dangling", "node_modules/.bin/file", "node_modules/.bin/outside"].map(
        (path) => ({ path, kind: "additional" }),
      ),
    );
  });

  it("A46 believes a list that a key of Ed25519 signed", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    await write(packageSignaturePath, sign(null, await readFile(join(root, packageListPath)), privateKey));
    expect((await verifyPackage(root, await keyFile(publicKey))).isSigned).toBe(true);
  });

  it("A46 believes a list that the key signed, and none that was written anew", async () => {
    const key = await keyFile(keys.publicKey);
    expect((await verifyPackage(root, key)).isSigned).toBe(true);
    await appendFile(join(root, packageListPath), " ");
    expect(await verifyPackage(root, key)).toMatchObject({ differences: [], isSigned: false });
  });

  it.each([
    { reason: "another key of that kind", key: generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey },
    { reason: "a key of Ed25519", key: generateKeyPairSync("ed25519").publicKey },
    { reason: "a key that signs nothing", key: generateKeyPairSync("x25519").publicKey },
  ])("A46 does not take the list for signed by $reason", async ({ key }) => {
    expect((await verifyPackage(root, await keyFile(key))).isSigned).toBe(false);
  });

  it("A46 does not take a list without a signature for signed", async () => {
    await rm(join(root, packageSignaturePath));
    expect((await verifyPackage(root, await keyFile(keys.publicKey))).isSigned).toBe(false);
  });

  it("A46 takes no file for the listed one by a list that lacks its path or its digest", async () => {
    const list = { _type: listType, version: "1", commit: "c", files: [{ path: "bin/rollcall.js" }, {}] };
    await write(packageListPath, JSON.stringify(list));
    await rm(join(root, "bin/rollcall.js"));
    await symlink(join(root, "package.json"), join(root, "bin/rollcall.js"));
    expect((await verifyPackage(root)).differences.slice(0, 2)).toEqual([
      { path: "", kind: "missing" },
      { path: "bin/rollcall.js", kind: "differs" },
    ]);
  });

  it.each([
    { reason: "nothing", content: "" },
    { reason: "no JSON", content: "files" },
    { reason: "a list of another type", content: JSON.stringify({ version: "1", commit: "c", files: [] }) },
    { reason: "without a version", content: JSON.stringify({ _type: listType, commit: "c", files: [] }) },
    { reason: "without a commit", content: JSON.stringify({ _type: listType, version: "1", files: [] }) },
  ])("reports a package whose list is $reason", async ({ content }) => {
    await write(packageListPath, content);
    await expect(verifyPackage(root)).rejects.toMatchObject({ code: "E_INSTALLATION" });
  });

  it("reports a file that is no public key", async () => {
    await expect(verifyPackage(root, join(root, "package.json"))).rejects.toMatchObject({ code: "E_USAGE" });
  });
});
