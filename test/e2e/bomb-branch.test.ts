import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { PlanView } from "../../src/model/generated/page-api.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { createRepository, makeTempFolder } from "../support/git-repositories.ts";
import { ofThisMachine } from "../support/of-this-machine.ts";
import { makeWorkspace, startHubProcess, workspace } from "../support/process-fleet.ts";
import type { RollcallProcess } from "../support/rollcall-process.ts";
import { startRollcall } from "../support/rollcall-process.ts";
import { until } from "../support/until.ts";

const cluster = (name: string): string =>
  `---\napiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata:\n  name: ${name}\n`;
const documentsOf = (part: number): string =>
  Array.from({ length: 2500 }, (_, index) => cluster(`c${part}-${index}`)).join("");
const bombs = {
  problems: { "problems.yaml": "---\n[\n".repeat((255 * 1024) / 6) },
  documents: Object.fromEntries([1, 2, 3, 4].map((part) => [`documents-${part}.yaml`, documentsOf(part)])),
};

it("A53 plans a branch that holds a bomb by HTTP, while /livez answers and a push to main is applied", async () => {
  const folder = await makeTempFolder();
  onTestFinished(folder.remove);
  const repository = await createRepository(join(folder.path, "fleet.git"));
  const main = await repository.commit({ files: { "a.yaml": cluster("a") } });
  for (const [branch, files] of Object.entries(bombs)) await repository.commit({ branch, from: main, files });
  const hub = await startHubProcess(join(folder.path, "hub"));
  onTestFinished(() => hub.stop());
  await makeWorkspace(hub.api);
  const daemon = startRollcall([
    ...["run", "--install-crds", "--log-level", "debug", "--repo", repository.path],
    ...["--kubeconfig", hub.kubeconfigPath, "--workspaces", workspace, "--default-workspace", workspace],
    ...["--cache-dir", join(folder.path, "cache"), "--interval", "1s"],
    ...["--metrics-address", "127.0.0.1:0", "--page-address", "127.0.0.1:0", "--page-access", "Open"],
  ]);
  onTestFinished(async () => {
    daemon.kill("SIGTERM");
    await daemon.finished;
  });
  const health = `http://127.0.0.1:${await portOf(daemon, "serving health and metrics")}/livez`;
  const page = `http://127.0.0.1:${await portOf(daemon, "serving the page")}`;
  const isThere = (name: string) =>
    until(
      () => hub.api.get({ type: resourceTypes.cluster, namespace: workspace, name }),
      (found) => found !== undefined,
    );
  await isThere("a");

  for (const [index, branch] of Object.keys(bombs).entries()) {
    let isPlanned = false;
    const plan = fetch(`${page}/api/v1/plan?branch=${branch}`).finally(() => (isPlanned = true));
    const name = `pushed-${index}`;
    await repository.commit({ files: { [`${name}.yaml`]: cluster(name) } });
    const applied = isThere(name);
    let mostMs = 0;
    let answers = 0;
    while (!isPlanned) {
      const beforeMs = mainThreadCpuMs(daemon);
      expect((await fetch(health)).status).toBe(200);
      mostMs = Math.max(mostMs, mainThreadCpuMs(daemon) - beforeMs);
      answers += 1;
    }
    await applied;
    // Of the daemon's main thread between a request and its answer: this machine does other work too.
    expect(mostMs).toBeLessThan(ofThisMachine(200));
    expect(answers).toBeGreaterThan(5);
    const answer = await plan;
    expect(answer.status, daemon.output()).toBe(200);
    const { changes, problems } = (await answer.json()) as PlanView;
    expect((changes?.length ?? 0) + (problems?.length ?? 0)).toBeGreaterThan(0);
  }
});

async function portOf(program: RollcallProcess, message: string): Promise<number> {
  const line = new RegExp(`"port":(\\d+)[^\\n]*"msg":"${message}"`, "u");
  await program.whenPrinted(line);
  return Number(line.exec(program.output())?.[1]);
}

/** Where Linux does not report it: nothing. */
function mainThreadCpuMs({ pid }: RollcallProcess): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch {
    return 0;
  }
}
