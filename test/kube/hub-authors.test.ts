import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installHub } from "../../src/install/install-hub.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { annotationKeys } from "../../src/model/well-known.ts";
import type { DaemonSession } from "../contract/daemon/daemon-session.ts";
import { openDaemonSession } from "../contract/daemon/daemon-session.ts";
import { daemonAccount } from "../support/audited-hub.ts";
import type { ControlPlane } from "../support/control-plane.ts";
import { startControlPlane } from "../support/control-plane.ts";
import { kubectlVersion, typeIntoShell } from "../support/shell.ts";
import { until } from "../support/until.ts";
import { neverAborted } from "../support/never-aborted.ts";

const extraApiServerArgs = [
  "--feature-gates=MutatingAdmissionPolicy=true",
  "--runtime-config=admissionregistration.k8s.io/v1beta1=true",
];
const groups = "--as-group=system:masters";
const key = annotationKeys.writtenBy;

describe.skipIf(kubectlVersion() === undefined)("commits of what people do on a hub that records its users", () => {
  let controlPlane: ControlPlane;
  let session: DaemonSession;
  let folder: string;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ extraApiServerArgs });
    folder = await mkdtemp(join(tmpdir(), "rollcall-hub-authors-"));
    await writeFile(join(folder, "kubeconfig"), controlPlane.kubeconfig, { mode: 0o600 });
    const daemonKubeconfig = await daemonAccount(controlPlane.kubeconfig);
    session = await openDaemonSession(controlPlane, { daemonKubeconfig });
    await installHub(session.api, session.namespace, neverAborted());
    await session.repository.commit({ files: { "clusters/eu-1.yaml": cluster("eu-1") } });
    // An API server takes a policy up a moment after it was created.
    const probe = (): Promise<string> => type(apply("probe", "alice", "--dry-run=server -o yaml"));
    await until(probe, (printed) => printed.includes(key));
    await start();
    await session.settle();
  });
  afterAll(async () => {
    await session.close();
    await controlPlane.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const start = (): Promise<unknown> => session.startDaemon({ spec: { onHubObjects: [{ policy: "Commit" }] } });
  const type = async (text: string): Promise<string> =>
    (await typeIntoShell(text, { cwd: folder, kubeconfig: join(folder, "kubeconfig") })).output;
  const cluster = (name: string, metadata: object = {}): string =>
    JSON.stringify({
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Cluster",
      metadata: { name, namespace: session.workspace, ...metadata },
      spec: {},
    });
  const applyText = (text: string, user: string, flags = ""): string =>
    `kubectl apply -f - --as='${user}' ${groups} ${flags} <<'EOF'\n${text}\nEOF`;
  const apply = (name: string, user: string, flags = ""): string => applyText(cluster(name), user, flags);
  const forged = (name: string, user: string, as: string): string =>
    applyText(cluster(name, { annotations: { [key]: as } }), user);
  /** Author, committer and users of the newest commit of the file. */
  const commitOf = async (path: string): Promise<string> => {
    const format = "--format=%an <%ae>, %cn%n%(trailers:key=Rollcall-Hub-User)";
    return (await session.repository.git("log", "-1", format, "main", "--", path)).trim();
  };
  const untilCommitted = (path: string, wanted: string): Promise<string> =>
    until(
      () => commitOf(path),
      (seen) => seen === wanted,
    );
  const file = (name: string): string => `clusters/${session.workspace}/${name}.yaml`;

  it("the user who applies a cluster is the author of its file, and Rollcall the committer", async () => {
    await type(apply("by-alice", "alice"));
    await untilCommitted(
      file("by-alice"),
      "alice <alice@users.noreply.rollcall.dev>, Rollcall\nRollcall-Hub-User: alice",
    );
    expect(await session.repository.git("show", `main:${file("by-alice")}`)).not.toContain(key);
  });

  it("the user who labels a declared cluster is the author of the edit, and not the user of the edit before", async () => {
    await type(`kubectl -n ${session.workspace} label clusters.rollcall.dev eu-1 site=a --as=alice ${groups}`);
    await untilCommitted(
      "clusters/eu-1.yaml",
      "alice <alice@users.noreply.rollcall.dev>, Rollcall\nRollcall-Hub-User: alice",
    );
    await session.settle();
    await type(
      `kubectl -n ${session.workspace} label clusters.rollcall.dev eu-1 site=b --overwrite --as=bob@example.com ${groups}`,
    );
    await untilCommitted(
      "clusters/eu-1.yaml",
      "bob@example.com <bob%40example.com@users.noreply.rollcall.dev>, Rollcall\nRollcall-Hub-User: bob@example.com",
    );
  });

  it("a user cannot commit as another: a name that the client writes has no effect", async () => {
    await type(forged("forged", "mallory", "bob"));
    await untilCommitted(
      file("forged"),
      "mallory <mallory@users.noreply.rollcall.dev>, Rollcall\nRollcall-Hub-User: mallory",
    );
    const ref = { type: resourceTypes.cluster, namespace: session.workspace, name: "forged" };
    await session.settle();
    await type(
      `kubectl -n ${session.workspace} annotate clusters.rollcall.dev forged ${key}=bob --overwrite --field-manager=rollcall-git --as=mallory ${groups}`,
    );
    expect((await session.api.get(ref))?.metadata.annotations?.[key]).toMatch(/\nmallory$/u);
    expect(
      await type(
        `kubectl -n ${session.workspace} annotate clusters.rollcall.dev forged ${key}- --as=mallory ${groups}`,
      ),
    ).not.toContain("rror");
    expect((await session.api.get(ref))?.metadata.annotations?.[key]).toMatch(/\nmallory$/u);
  });

  it("a change of one user in the object of another is of Rollcall, and the trailers name both", async () => {
    await session.stopDaemon();
    await type(apply("shared", "mallory"));
    await type(`kubectl -n ${session.workspace} label clusters.rollcall.dev shared site=x --as=bob ${groups}`);
    await start();
    await untilCommitted(
      file("shared"),
      "Rollcall <rollcall@rollcall.dev>, Rollcall\nRollcall-Hub-User: mallory\nRollcall-Hub-User: bob",
    );
  });

  it("the author of a proposed file is the user, and the branch is still one that Rollcall keeps", async () => {
    const ref = { type: resourceTypes.repository, namespace: session.namespace, name: "fleet" };
    const onHubObjects = [{ policy: "Propose" }];
    await session.api.mergePatch(ref, { spec: { onHubObjects } }, { fieldManager: "kubectl-edit" });
    await type(apply("proposed", "carol"));
    const branch = `rollcall/hub/${session.workspace}/clusters.rollcall.dev/proposed`;
    await until(
      () => session.repository.head(branch),
      (head) => head !== undefined,
    );
    expect(await session.repository.git("log", "-1", "--format=%an, %cn", branch)).toBe("carol, Rollcall\n");
    await type(`kubectl -n ${session.workspace} delete clusters.rollcall.dev proposed --as=carol ${groups}`);
    await until(
      () => session.repository.head(branch),
      (head) => head === undefined,
    );
  });
});
