import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { makeTempFolder } from "../support/git-repositories.ts";
import { runRollcall, startRollcall } from "../support/rollcall-process.ts";

const policy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{level: Request, verbs: [create], resources: [{group: "", resources: [configmaps]}]}]
`;

it("records requests by a policy, and keeps as many full files as asked", async () => {
  const folder = await makeTempFolder();
  onTestFinished(folder.remove);
  const [dir, policyFile, logFile] = ["hub", "policy.yaml", "audit.log"].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(policyFile, policy.replace("rules", "rule"));
  const args = ["hub", "--dir", dir, "--audit-policy-file", policyFile];
  const alone = await runRollcall(args);
  expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining("it requires --audit-log-file") as string });
  args.push("--audit-log-file", logFile, "--audit-log-max-size", "1", "--audit-log-max-backups", "1");
  const wrong = await runRollcall(args);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('unknown field "rule"') as string });
  await writeFile(policyFile, policy);

  const hub = startRollcall(args);
  await hub.whenPrinted(/The hub is ready/u);
  const api = apiOf(readKubeconfig(await readFile(join(dir, "hub.kubeconfig"), "utf8")));
  for (const name of ["a", "b", "c"]) {
    const metadata = { name, namespace: "default" };
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { key: name.repeat(700_000) } };
    await api.create(object, { fieldManager: "test" });
  }
  await api.close();
  hub.kill("SIGTERM");
  await hub.finished;
  const files = (await readdir(folder.path)).filter((name) => name.startsWith("audit")).sort();
  expect(files).toEqual([expect.stringMatching(/^audit-\d{4}-\d\d-\d\dT.*\.log$/u), "audit.log"]);
  const names = await Promise.all(
    files.map(async (file) => {
      const event: unknown = JSON.parse(await readFile(join(folder.path, file), "utf8"));
      return event;
    }),
  );
  expect(names).toMatchObject([{ requestObject: { metadata: { name: "b" } } }, { objectRef: { name: "c" } }]);
});
