import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder } from "../support/git-repositories.ts";
import { kubefleetAgentBinary } from "../support/kubefleet-agent-process.ts";
import { runRollcall, startRollcall } from "../support/rollcall-process.ts";

// KubeFleet's agent is built from its own project: ROLLCALL_KUBEFLEET_AGENT names the program.
describe.skipIf(kubefleetAgentBinary === undefined)("rollcall up --protocol kubefleet", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  const args = () => [
    ...["up", "--protocol", "kubefleet", "--agent-binary", kubefleetAgentBinary ?? "", "--clusters", "2"],
    ...["--dir", folder.path],
  ];
  beforeEach(async () => {
    folder = await makeTempFolder();
  });
  afterEach(() => folder.remove());

  it("runs clusters with KubeFleet's own agent, to Ready, and again from there", async () => {
    for (const time of ["first", "second"]) {
      const { code, stdout } = await runRollcall([...args(), "--exit-when-healthy"]);
      expect(code, `${time} time: ${stdout}`).toBe(0);
      for (const name of ["kubefleet-1", "kubefleet-2"]) expect(stdout).toMatch(new RegExp(`${name} .*Ready\n`, "u"));
      expect(await processesIn(folder.path)).toEqual([]);
    }
  });

  it("ends every process of it with Ctrl-C", async () => {
    const up = startRollcall(args());
    await up.whenPrinted(/Every cluster is Ready/u, 120_000);
    expect(await processesIn(folder.path)).toHaveLength(2);
    up.kill("SIGINT");
    expect((await up.finished).code).toBe(0);
    expect(await processesIn(folder.path)).toEqual([]);
  });
});

/** Agents whose home is in this folder, as Linux reports it. */
async function processesIn(path: string): Promise<string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/u.test(name));
  const found = await Promise.all(
    ids.map(async (id) => {
      // One that ends meanwhile is none.
      const environment = await readFile(join("/proc", id, "environ"), "utf8").catch(() => "");
      return environment.includes(`HOME=${path}`) ? [id] : [];
    }),
  );
  return found.flat();
}
