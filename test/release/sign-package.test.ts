import type { KeyObject } from "node:crypto";
import { generateKeyPairSync } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { makeTempFolder } from "../support/git-repositories.ts";

interface PackageFiles {
  readonly addPackaged: (archive: Buffer, path: string, content: Buffer) => Buffer;
}

interface PackageSigner {
  readonly signPackage: (folder: string, key: KeyObject) => boolean;
  readonly isPackageSigned: (folder: string, key: KeyObject) => boolean;
}

const scripts = resolve(import.meta.dirname, "../../scripts/release");
const load = async <T>(name: string): Promise<T> => (await import(pathToFileURL(join(scripts, name)).href)) as T;
const { addPackaged } = await load<PackageFiles>("package-files.mjs");
const { signPackage, isPackageSigned } = await load<PackageSigner>("sign-package.mjs");

const list = "dist/release-files.json";
const newKeys = () => generateKeyPairSync("ec", { namedCurve: "P-256" });

/** A folder of a release with a package of these files alone. */
async function createRelease(files: Readonly<Record<string, string>>) {
  const folder = await makeTempFolder();
  let archive: Buffer = gzipSync(Buffer.alloc(1024));
  for (const [path, text] of Object.entries(files)) archive = addPackaged(archive, path, Buffer.from(text));
  const path = join(folder.path, "rollcall-1.2.3.tgz");
  await writeFile(path, archive);
  await writeFile(join(folder.path, "provenance.json"), "{}");
  return { folder, path };
}

describe("signPackage", () => {
  it("signs the list once, and leaves a package as it is that the same key has signed", async () => {
    const { folder, path } = await createRelease({ [list]: "{}" });
    const { privateKey, publicKey } = newKeys();
    expect(signPackage(folder.path, privateKey)).toBe(true);
    expect(isPackageSigned(folder.path, publicKey)).toBe(true);
    const signed = await readFile(path);
    expect(signPackage(folder.path, privateKey)).toBe(true);
    expect(signed.equals(await readFile(path))).toBe(true);
    await folder.remove();
  });

  it.each([
    ["of another key", () => signPackage],
    ["that is none", () => undefined],
  ])("refuses a package that has a signature %s already", async (_what, signerOf) => {
    const sign = signerOf();
    const { folder, path } = await createRelease({ [list]: "{}", ...(sign ? {} : { [`${list}.sig`]: "none" }) });
    sign?.(folder.path, newKeys().privateKey);
    const before = await readFile(path);
    expect(() => signPackage(folder.path, newKeys().privateKey)).toThrow("a signature that is not of this key");
    expect(before.equals(await readFile(path))).toBe(true);
    await folder.remove();
  });
});
