import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { makeTempFolder } from "../support/git-repositories.ts";
import type { RollcallProcess } from "../support/rollcall-process.ts";
import { runRollcall, startRollcall } from "../support/rollcall-process.ts";

it("copies a hub that runs, makes another of the copy, and reports what is refused", async () => {
  const folder = await makeTempFolder();
  onTestFinished(folder.remove);
  const [dir, other, file] = ["one", "two", "hub.backup"].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  const ref = { type: resourceTypes.configMap, namespace: "default", name: "kept" };

  const none = await runRollcall(["hub", "--dir", dir, "--backup-file", file]);
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("there is none") as string });

  await onHub(["--dir", dir], async (api) => {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: ref.name, namespace: ref.namespace } };
    await api.create(object, { fieldManager: "test" });
    const copied = await runRollcall(["hub", "--dir", dir, "--backup-file", file]);
    expect(copied, copied.stderr).toMatchObject({ code: 0, stderr: expect.stringContaining(file) as string });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await api.delete(ref);
  });
  await onHub(["--dir", other, "--restore-file", file], async (api) => {
    expect(await api.get(ref)).toBeDefined();
  });
  const again = await runRollcall(["hub", "--dir", other, "--restore-file", file]);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("not empty") as string });
});

async function onHub(args: readonly string[], work: (api: KubeApi) => Promise<void>): Promise<void> {
  const hub: RollcallProcess = startRollcall(["hub", ...args]);
  try {
    await hub.whenPrinted(/The hub is ready/u);
    const dir = args[1] ?? "";
    const api = apiOf(readKubeconfig(await readFile(join(dir, "hub.kubeconfig"), "utf8")));
    await work(api);
    await api.close();
  } finally {
    hub.kill("SIGTERM");
    await hub.finished;
  }
}
