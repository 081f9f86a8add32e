import { mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runImport } from "../../../src/cli/commands/import.ts";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { installFleet } from "../../../src/install/install-fleet.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { makeTempFolder } from "../../support/git-repositories.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { embeddedHub } from "../../support/hub-under-test.ts";
import { runCommand } from "../../support/plain-context.ts";
import { neverAborted } from "../../support/never-aborted.ts";

describe("rollcall import into a work tree with files in its way", () => {
  let hub: HubUnderTest;
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  const pathOf = (name: string): string => `groups/fleet/${name}.yaml`;
  const at = (name: string): string => join(folder.path, pathOf(name));
  beforeAll(async () => {
    hub = await embeddedHub();
    folder = await makeTempFolder();
    await writeFile(join(folder.path, "kubeconfig"), hub.kubeconfig);
    const api = apiOf(readKubeconfig(hub.kubeconfig));
    await installFleet(api, neverAborted());
    await api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "fleet" } }, { fieldManager: "test" });
    for (const name of ["a", "b", "c"]) {
      const metadata = { name, namespace: "fleet" };
      const group = { apiVersion: "fleet.cattle.io/v1alpha1", kind: "ClusterGroup", metadata, spec: { selector: {} } };
      await api.create(group, { fieldManager: "test" });
    }
    await api.close();
  });
  afterAll(async () => {
    await hub.stop();
    await folder.remove();
  });

  const importAll = () => {
    const options = { kubeconfig: join(folder.path, "kubeconfig"), dir: folder.path };
    return runCommand("import", runImport, { args: ["fleet"], options });
  };

  it("takes a file that a checkout gave the line ends of Windows for its own", async () => {
    expect((await importAll()).code).toBe(0);
    await writeFile(at("a"), (await readFile(at("a"), "utf8")).replaceAll("\n", "\r\n"));
    expect(await importAll()).toMatchObject({ code: 0, text: expect.stringContaining("unchanged: 3 files") as string });
  });

  it("writes no object again whose file was moved", async () => {
    await mkdir(join(folder.path, "mine"));
    await rename(at("b"), join(folder.path, "mine/moved.yaml"));
    const { code, text } = await importAll();
    expect(code).toBe(0);
    expect(text).toContain("not imported: ClusterGroup/fleet/b: declared in mine/moved.yaml");
    expect(text).toContain("unchanged: 2 files");
    await rename(join(folder.path, "mine/moved.yaml"), at("b"));
  });

  it("writes all other files where a link or a folder is in the place of one", async () => {
    for (const name of ["a", "b", "c"]) await rm(at(name));
    await symlink("nowhere", at("a"));
    await mkdir(at("b"));
    const { code, text } = await importAll();
    expect(code).toBe(1);
    for (const name of ["a", "b"]) expect(text).toContain(`not written: ${pathOf(name)} exists with other content`);
    expect(await readFile(at("c"), "utf8")).toContain("kind: ClusterGroup");
  });

  it("takes no link for a file: the daemon does not read it", async () => {
    await rm(at("b"), { recursive: true });
    await rm(at("a"));
    await importAll();
    await rm(at("a"));
    await writeFile(join(folder.path, "elsewhere"), (await readFile(at("b"), "utf8")).replace("name: b", "name: a"));
    await symlink("../../elsewhere", at("a"));
    expect((await importAll()).text).toContain(`not written: ${pathOf("a")} exists with other content`);
  });

  it("takes no folder that is a link, whatever is behind it", async () => {
    await rename(join(folder.path, "groups"), join(folder.path, "behind"));
    await symlink("behind", join(folder.path, "groups"));
    await expect(importAll()).rejects.toMatchObject({ code: "E_SYMLINK" });
  });
});
