import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { makeTempFolder } from "../../support/git-repositories.ts";

const root = resolve(import.meta.dirname, "../../..");

interface Bill {
  readonly metadata: { readonly component: { readonly type: string; readonly name: string } };
  readonly components: readonly { readonly name: string; readonly purl: string }[];
}

it("A46 lists of the image its base by digest, what Debian adds, and the packages in the program", async () => {
  const path = pathToFileURL(join(root, "scripts/release/bill-of-materials.mjs")).href;
  const { billOfImage } = (await import(path)) as { billOfImage: (root: string, manifest: object) => Bill };
  const folder = await makeTempFolder();
  try {
    const write = async (name: string, packages: readonly object[]): Promise<void> => {
      await mkdir(join(folder.path, name), { recursive: true });
      await writeFile(join(folder.path, name, "packages.json"), JSON.stringify(packages));
    };
    const undici = { name: "undici", version: "7.0.0", license: "MIT" };
    await write("dist-image/dist", [undici, { name: "@noble/curves", version: "2.0.1", license: "MIT" }]);
    await write("dist-image/dist/page", [{ name: "preact", version: "10.0.0", license: "(MIT OR 0BSD)" }, undici]);
    await cp(join(root, "deploy/Dockerfile"), join(folder.path, "deploy/Dockerfile"));

    const bill = billOfImage(folder.path, { name: "rollcall", version: "0.1.0", license: "Apache-2.0" });
    expect(bill.metadata.component).toMatchObject({ type: "container", name: "rollcall" });
    expect(bill.components.map(({ purl }) => purl)).toEqual([
      expect.stringMatching(/^pkg:docker\/node@sha256:[0-9a-f]{64}$/u),
      "pkg:deb/debian/ca-certificates",
      "pkg:deb/debian/git",
      "pkg:deb/debian/openssh-client",
      "pkg:npm/undici@7.0.0",
      "pkg:npm/%40noble/curves@2.0.1",
      "pkg:npm/preact@10.0.0",
    ]);

    await writeFile(join(folder.path, "deploy/Dockerfile"), "ARG NODE_IMAGE=node:24\n");
    expect(() => billOfImage(folder.path, { name: "rollcall", version: "0.1.0", license: "MIT" })).toThrow(/digest/u);
  } finally {
    await folder.remove();
  }
});

it("names what deploy/Dockerfile installs", async () => {
  const dockerfile = await readFile(join(root, "deploy/Dockerfile"), "utf8");
  const [, installed = ""] = /apt-get install --yes --no-install-recommends ([a-z -]+) \\/u.exec(dockerfile) ?? [];
  expect(installed.split(" ")).toEqual(["ca-certificates", "git", "openssh-client"]);
});
