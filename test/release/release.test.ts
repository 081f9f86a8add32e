import { execFile } from "node:child_process";
import type { KeyObject } from "node:crypto";
import { createHash, createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { appendFile, cp, mkdir, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { version } from "../../src/core/version.ts";
import { makeTempFolder } from "../support/git-repositories.ts";
import { installPackage } from "../support/npm-package.ts";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);
const repositoryUrl = "https://git.example.com/platform/rollcall";
const url = `${repositoryUrl}/releases/download/v${version}`;
/** A Python that has the package cyclonedx-python-lib, with what it needs to validate. */
const python = process.env["ROLLCALL_PYTHON"];
const cosign = process.env["ROLLCALL_COSIGN"];
const hasRuby = await run("ruby", ["--version"]).then(
  () => true,
  () => false,
);

interface Envelope {
  readonly payloadType: string;
  readonly payload: string;
  readonly signatures: readonly { readonly sig: string }[];
}

interface Signer {
  readonly signBytes: (bytes: Buffer, key: KeyObject) => Buffer;
  readonly isSigned: (bytes: Buffer, key: KeyObject, signature: Buffer) => boolean;
}

interface BillOfMaterials {
  readonly components: readonly { readonly name: string; readonly purl: string }[];
}

interface InstalledTree {
  readonly dependencies?: Readonly<Record<string, InstalledTree>>;
}

/** Packages in the program whose parts have no such line either. */
const unmarkedPackages = ["isomorphic-ws", "node-fetch"];

function namesIn({ dependencies = {} }: InstalledTree): string[] {
  return Object.entries(dependencies).flatMap(([name, tree]) => [name, ...namesIn(tree)]);
}

interface KrewManifest {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly version: string;
    readonly homepage: string;
    readonly shortDescription: string;
    readonly description: string;
    readonly platforms: readonly { readonly uri: string; readonly sha256: string; readonly bin: string }[];
  };
}

describe("npm run release", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let checkout: string;
  let publicKey: string;
  /** SHA256SUMS of both, before they were signed. */
  const madeLists: string[] = [];

  async function digestOf(name: string): Promise<string> {
    return createHash("sha256")
      .update(await readFile(join(folder.path, "first", name)))
      .digest("hex");
  }

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
    const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
    publicKey = join(folder.path, "release.pub");
    await writeFile(publicKey, keys.publicKey.export({ type: "spki", format: "pem" }));
    const key = join(folder.path, "release.key");
    await writeFile(key, keys.privateKey.export({ type: "pkcs8", format: "pem" }));
    for (const name of ["first", "second"]) {
      const path = join(folder.path, name);
      expect(await release("make", version, path, "--url", url)).toMatchObject({ code: 0 });
      madeLists.push(await readFile(join(path, "SHA256SUMS"), "utf8"));
      expect(await release("sign", path, key)).toMatchObject({ code: 0 });
    }
  });
  afterAll(() => folder.remove());

  it("makes everything that a user installs and checks", async () => {
    expect((await readdir(join(folder.path, "first"))).sort()).toEqual(
      [
        "CHANGELOG.md",
        "SHA256SUMS",
        "SHA256SUMS.sig",
        "provenance.dsse.json",
        "provenance.json",
        `rollcall-${version}.tgz`,
        `rollcall-action-${version}.tgz`,
        "rollcall-agent-chart-0.1.0.tgz",
        "rollcall-agent.mjs",
        "rollcall-chart-0.1.0.tgz",
        "rollcall.mjs",
        "rollcall.rb",
        "rollcall.yaml",
        "sbom-image.cdx.json",
        "sbom.cdx.json",
      ].sort(),
    );
  });

  it("A46 lists each package that it brings in the bill of materials, and no other", async () => {
    const sbom = JSON.parse(await readFile(join(folder.path, "first/sbom.cdx.json"), "utf8")) as BillOfMaterials;
    const listed = sbom.components.map(({ name }) => name);
    const dist = join(checkout, "dist");
    // The bundler writes above most parts which file they were; the page's parts have no such line.
    const files = (await readdir(dist)).filter((name) => name.endsWith(".js"));
    const texts = await Promise.all(files.map((name) => readFile(join(dist, name), "utf8")));
    const inProgram = texts.flatMap((text) =>
      [...text.matchAll(/^\/\/#region (?:\S+\/)?node_modules\/((?:@[^/\s]+\/)?[^/\s]+)/gmu)].map(
        ([, name = ""]) => name,
      ),
    );
    const browser = join(root, "src/web/dashboard/browser");
    const sources = (await readdir(browser, { recursive: true })).filter((name) => /\.tsx?$/u.test(name));
    const pageTexts = await Promise.all(sources.map((name) => readFile(join(browser, name), "utf8")));
    const inPage = pageTexts.flatMap((text) =>
      [...text.matchAll(/ from "([^."/][^"/]*)/gu)].map(([, name = ""]) => name),
    );
    const tree = await run("npm", ["ls", "--all", "--omit=dev", "--json"], { cwd: root });
    const beside = namesIn(JSON.parse(tree.stdout) as InstalledTree);
    expect(inPage).toContain("preact");
    expect(inProgram).toContain("undici");
    expect(beside).toContain("classic-level");
    const brought = new Set([...inProgram, ...inPage, ...beside]);
    expect([...brought].filter((name) => !listed.includes(name))).toEqual([]);
    expect(listed.filter((name) => !brought.has(name))).toEqual(unmarkedPackages);
    expect(new Set(sbom.components.map(({ purl }) => purl)).size).toBe(listed.length);
  });

  it.skipIf(python === undefined).each(["sbom.cdx.json", "sbom-image.cdx.json"])(
    `writes a bill of materials that the schema of CycloneDX allows${python === undefined ? " (no ROLLCALL_PYTHON)" : ""}`,
    async (bill) => {
      const script = `import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
error = JsonStrictValidator(SchemaVersion.V1_5).validate_str(open(sys.argv[1]).read())
sys.exit(None if error is None else str(error)[:2000])`;
      await run(python ?? "", ["-c", script, join(folder.path, "first", bill)]);
    },
  );

  it("brings the Action with the program in it", async () => {
    const place = join(folder.path, "action");
    await mkdir(place);
    await run("tar", ["-xzf", join(folder.path, `first/rollcall-action-${version}.tgz`), "-C", place]);
    const action = join(place, "rollcall-action");
    expect((await readdir(action)).sort()).toEqual(["LICENSE", "action.yml", "rollcall.mjs"]);
    const { stdout } = await run(process.execPath, [join(action, "rollcall.mjs"), "validate", "examples-repo"], {
      cwd: root,
    });
    expect(stdout).toContain("no problems");
  });

  it("brings a manifest of krew, whose program runs from where krew unpacks it", async () => {
    const { metadata, spec } = parse(await readFile(join(folder.path, "first/rollcall.yaml"), "utf8")) as KrewManifest;
    expect([metadata.name, spec.version, spec.homepage]).toEqual(["rollcall", `v${version}`, repositoryUrl]);
    expect(spec.shortDescription.length).toBeLessThanOrEqual(70);
    for (const line of spec.description.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    const [platform] = spec.platforms;
    expect(platform).toMatchObject({
      uri: `${url}/rollcall-${version}.tgz`,
      sha256: await digestOf(`rollcall-${version}.tgz`),
      files: [{ from: "package/*", to: "." }],
    });
    await mkdir(join(folder.path, "krew/bin"), { recursive: true });
    await run("tar", ["-xzf", join(folder.path, `first/rollcall-${version}.tgz`), "-C", join(folder.path, "krew")]);
    const plugin = join(folder.path, "krew/bin/kubectl-rollcall");
    await symlink(join(folder.path, "krew/package", platform?.bin ?? ""), plugin);
    expect((await run(plugin, ["--version"])).stdout).toBe(`${version}\n`);
    const checked = await run(plugin, ["validate", join(folder.path, "krew/package/examples-repo")]);
    expect(checked.stdout).toContain("no problems");
  });

  it.skipIf(!hasRuby)(
    `brings a formula of Homebrew that installs and tests itself${hasRuby ? "" : " (no ruby)"}`,
    async () => {
      const formula = join(folder.path, "first/rollcall.rb");
      const text = await readFile(formula, "utf8");
      expect(text).toContain(`sha256 "${await digestOf(`rollcall-${version}.tgz`)}"`);
      expect(text).toContain(`url "${url}/rollcall-${version}.tgz"`);
      await run("ruby", ["-wc", formula]);
      const place = join(folder.path, "brew");
      await mkdir(place);
      await run("tar", ["-xzf", join(folder.path, `first/rollcall-${version}.tgz`), "-C", place]);
      const env = { PATH: process.env["PATH"] ?? "", HOME: place };
      const { stdout } = await run("ruby", [join(import.meta.dirname, "homebrew.rb"), formula, place], { env });
      expect(stdout.trim().split("\n").at(-1)).toBe(`rollcall ${version}: installed and tested`);
    },
  );

  it("A46 makes the same bytes of the same commit", () => {
    expect(madeLists[0]).toBe(madeLists[1]);
  });

  it("A46 changes by its signature the package, and what names the package by its digest", async () => {
    const before = new Set((madeLists[0] ?? "").split("\n"));
    const signed = await readFile(join(folder.path, "first/SHA256SUMS"), "utf8");
    const changed = signed.split("\n").filter((line) => !before.has(line));
    const names = ["provenance.json", `rollcall-${version}.tgz`, "rollcall.rb", "rollcall.yaml"];
    expect(changed.map((line) => line.slice(66))).toEqual(names);
  });

  describe("rollcall version --verify, of the installed package", () => {
    let installed: string;

    /** The same program verifies each copy: one that is altered could report anything. */
    const verifyCopy = (...args: string[]): Promise<{ readonly code: number; readonly text: string }> =>
      run(join(folder.path, "prefix/bin/rollcall"), ["version", "--verify", ...args], { cwd: folder.path }).then(
        ({ stdout }) => ({ code: 0, text: stdout }),
        ({ code, stdout }: { code: number; stdout: string }) => ({ code, text: stdout }),
      );

    async function copyInstalled(name: string): Promise<string> {
      const copy = join(folder.path, "copies", name);
      await cp(installed, copy, { recursive: true, verbatimSymlinks: true });
      return copy;
    }

    beforeAll(async () => {
      await installPackage(join(folder.path, `first/rollcall-${version}.tgz`), folder.path);
      installed = join(folder.path, "prefix/lib/node_modules/rollcall");
    });

    it("A46 verifies each file and the signature", async () => {
      const { stdout: commit } = await run("git", ["rev-parse", "HEAD"], { cwd: checkout });
      const { code, text } = await verifyCopy("--key", publicKey);
      expect(text).toContain(`rollcall ${version}, made of commit ${commit}`);
      expect(text).toMatch(/^verified: \d{3} files, all as in the package's list$/mu);
      expect(text).toContain(`verified: the list is signed by the key of ${publicKey}\n`);
      expect(code).toBe(0);
    });

    it("reports without a key that the signature was not verified", async () => {
      expect(await verifyCopy()).toMatchObject({ code: 0, text: expect.stringContaining("not verified: ") as string });
    });

    it("A46 names the file that has one byte more, is missing or was added", async () => {
      const copy = await copyInstalled("altered");
      await appendFile(join(copy, "bin/rollcall.js"), " ");
      await appendFile(join(copy, "node_modules/classic-level/package.json"), " ");
      await rm(join(copy, "dist/packages.json"));
      await writeFile(join(copy, "dist/added.js"), "");
      const { code, text } = await verifyCopy("--key", publicKey, "--package", copy);
      expect(code).toBe(1);
      expect(text.split("\n").filter((line) => /^(?:differs|missing|additional) /u.test(line))).toEqual([
        "differs     bin/rollcall.js",
        "additional  dist/added.js",
        "missing     dist/packages.json",
        "differs     node_modules/classic-level/package.json",
      ]);
    });

    it("A46 does not believe a list that was written anew for altered files", async () => {
      const copy = await copyInstalled("rewritten");
      await appendFile(join(copy, "dist/main.js"), " ");
      const path = join(copy, "dist/release-files.json");
      const [before, after] = await Promise.all(
        [installed, copy].map(async (place) =>
          createHash("sha256")
            .update(await readFile(join(place, "dist/main.js")))
            .digest("hex"),
        ),
      );
      await writeFile(path, (await readFile(path, "utf8")).replace(before ?? "", after ?? ""));
      const { code, text } = await verifyCopy("--key", publicKey, "--package", copy);
      expect(code).toBe(1);
      expect(text).not.toContain("differs");
      expect(text).toContain(`failed: the list is not signed by the key of ${publicKey}\n`);
    });
  });

  it("A46 verifies what was signed, and notices one byte more", async () => {
    const made = join(folder.path, "first");
    expect(await release("verify", version, made, publicKey)).toMatchObject({ code: 0 });
    for (const name of await readdir(made)) {
      const changed = join(folder.path, "changed", name);
      await cp(made, changed, { recursive: true });
      await appendFile(join(changed, name), " ");
      expect(await release("verify", version, changed, publicKey), name).toMatchObject({ code: 1 });
    }
  });

  it("A46 takes no release of another version for the one that is wanted, however well it is signed", async () => {
    const downgrade = await release("verify", "99.0.0", join(folder.path, "first"), publicKey);
    expect(downgrade).toMatchObject({ code: 1 });
    expect(downgrade.text).toContain("this is a release of another version than 99.0.0");
  });

  it("A46 signs no list that is not of the files that are there", async () => {
    const changed = join(folder.path, "unsigned");
    await cp(join(folder.path, "first"), changed, { recursive: true });
    await appendFile(join(changed, "rollcall.mjs"), " ");
    const refused = await release("sign", changed, join(folder.path, "release.key"));
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.text).toContain("SHA256SUMS is not the list of the files");
  });

  it("A46 signs as the statement of provenance what in-toto defines, and its subjects are the files", async () => {
    const read = (name: string): Promise<Buffer> => readFile(join(folder.path, "first", name));
    const { payloadType, payload, signatures } = JSON.parse(
      (await read("provenance.dsse.json")).toString(),
    ) as Envelope;
    const statement = Buffer.from(payload, "base64");
    expect(statement.equals(await read("provenance.json"))).toBe(true);
    const signed = Buffer.concat([
      Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${statement.length} `),
      statement,
    ]);
    const signature = Buffer.from(signatures[0]?.sig ?? "", "base64");
    const key = createPublicKey(await readFile(publicKey));
    expect(verify("sha256", signed, key, signature)).toBe(true);
    const { subject } = JSON.parse(statement.toString()) as {
      readonly subject: readonly { readonly name: string; readonly digest: { readonly sha256: string } }[];
    };
    expect(subject.map(({ name }) => name)).toContain(`rollcall-${version}.tgz`);
    for (const { name, digest } of subject) expect(digest.sha256, name).toBe(await digestOf(name));
  });

  it.skipIf(cosign === undefined)(
    `A46 is accepted by cosign, and one byte more is not${cosign === undefined ? " (no ROLLCALL_COSIGN)" : ""}`,
    async () => {
      const made = join(folder.path, "first");
      const verified = (...args: string[]): Promise<boolean> =>
        run(cosign ?? "", [...args.slice(0, 1), "--key", publicKey, "--insecure-ignore-tlog", ...args.slice(1)], {
          cwd: made,
          env: { HOME: folder.path },
        }).then(
          () => true,
          () => false,
        );
      const other = join(folder.path, "other");
      await writeFile(other, `${await readFile(join(made, "SHA256SUMS"), "utf8")} `);
      const blob = ["verify-blob", "--signature", "SHA256SUMS.sig"];
      expect(await verified(...blob, "SHA256SUMS")).toBe(true);
      expect(await verified(...blob, other)).toBe(false);
      const attestation = [
        "verify-blob-attestation",
        "--type",
        "slsaprovenance1",
        "--signature",
        "provenance.dsse.json",
      ];
      expect(await verified(...attestation, `rollcall-${version}.tgz`)).toBe(true);
      expect(await verified(...attestation, other)).toBe(false);
    },
  );

  it("signs with a key of Ed25519 too", async () => {
    const { privateKey, publicKey: other } = generateKeyPairSync("ed25519");
    const list = Buffer.from("a list");
    const { signBytes, isSigned } = (await import(
      pathToFileURL(join(root, "scripts/release/signature.mjs")).href
    )) as Signer;
    expect(isSigned(list, other, signBytes(list, privateKey))).toBe(true);
    expect(isSigned(Buffer.from("another list"), other, signBytes(list, privateKey))).toBe(false);
  });

  it("refuses another version, and a work tree with changes", async () => {
    expect(await release("make", "9.9.9", join(folder.path, "none"))).toMatchObject({ code: 2 });
    await writeFile(join(checkout, "new.txt"), "");
    expect(await release("make", version, join(folder.path, "none"))).toMatchObject({ code: 1 });
  });
});
