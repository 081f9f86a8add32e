import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { runJoin } from "../../../src/cli/commands/join.ts";
import { textAt } from "../../../src/core/read-json.ts";
import { takeInstallManifest } from "../../../src/daemon/take-install-manifest.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { installValidMs } from "../../../src/model/install-address.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { installRoute } from "../../../src/web/install-route.ts";
import type { WebServer } from "../../../src/web/web.ts";
import { startWebServer } from "../../../src/web/web.ts";
import type { FleetBootstrap } from "../../support/fleet-agent-client.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { runCommand } from "../../support/plain-context.ts";
import { collectLines } from "../../support/collect-lines.ts";
import { openFleetHubSession } from "../fleet/fleet-hub-session.ts";
import type { FleetHubSession } from "../fleet/fleet-hub-session.ts";

const mostLookups = 8;

/** Install manifests at an address of their own; the same on every hub. */
export function describeInstallAddress(
  hubName: string,
  startHub: () => Promise<HubUnderTest>,
  /** Another program that reads the address. Default: none. */
  readBy?: (url: string) => Promise<string>,
): void {
  describe(`an install manifest at one address, on ${hubName}`, () => {
    let dir = "";
    let session: FleetHubSession;
    let server: WebServer;
    let bootstrap: FleetBootstrap;
    let shiftMs = 0;
    let isUnreachable = false;
    let isDeleting = true;
    const calls = { now: 0, most: 0, all: 0 };
    const { log, lines } = collectLines();

    /** The hub of the daemon: it counts what is listed, and may fail. */
    const countedApi = (api: KubeApi): KubeApi => ({
      ...api,
      list: async (...given) => {
        calls.all += 1;
        calls.most = Math.max(calls.most, ++calls.now);
        try {
          if (isUnreachable) throw new Error(`no route to the hub for ${JSON.stringify(given)}`);
          return await api.list(...given);
        } finally {
          calls.now -= 1;
        }
      },
      delete: (...given) => (isDeleting ? api.delete(...given) : Promise.reject(new Error("the daemon was killed"))),
    });

    beforeAll(async () => {
      dir = await mkdtemp(join(tmpdir(), "rollcall-install-address-"));
      session = await openFleetHubSession(await startHub());
      await writeFile(join(dir, "hub"), session.kubeconfig, { mode: 0o600 });
      await session.declareToken("door", { clusterNames: ["*"] });
      bootstrap = await session.bootstrapOf("door");
      const ports = { hubApi: countedApi(session.api), log, nowMs: () => Date.now() + shiftMs };
      const routes = [installRoute((address) => takeInstallManifest(ports, address), log)];
      server = await startWebServer({ host: "127.0.0.1", port: 0, routes, log });
    });
    beforeEach(() => {
      shiftMs = 0;
      isUnreachable = false;
      isDeleting = true;
      Object.assign(calls, { now: 0, most: 0, all: 0 });
    });
    afterAll(async () => {
      await server.close();
      await session.close();
      await rm(dir, { recursive: true, force: true });
    });

    const base = (): string => `http://127.0.0.1:${server.port}`;
    const print = async (options: Record<string, string | boolean>): Promise<string> => {
      const given = {
        protocol: "fleet",
        "from-hub": `${session.workspace}/door`,
        "hub-kubeconfig": join(dir, "hub"),
        "install-url": `${base()}/`,
        ...options,
      };
      const { code, text } = await runCommand("join", runJoin, { options: given });
      expect(code, text).toBe(0);
      return text;
    };
    const makeAddress = async (options: Record<string, string | boolean> = {}): Promise<string> => {
      const text = await print(options);
      const [, url = ""] = /^kubectl apply -f (http\S+)\n$/u.exec(text) ?? [];
      return url;
    };
    const secrets = async () => {
      const { workspace: namespace } = session;
      const labelSelector = "rollcall.dev/install-manifest=true";
      return (await session.api.list(resourceTypes.secret, { namespace, labelSelector })).items;
    };

    it("A63: is served once, with all that installs the agent, and leaves no copy", async () => {
      const url = await makeAddress({ "client-id": "edge-7-id" });
      const [kept] = await secrets();
      expect(JSON.stringify(kept)).not.toContain(url.slice(-48, -5));
      const answer = await fetch(url);
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
      const objects = parseAllDocuments(await answer.text()).map((document) => document.toJS() as unknown);
      const secret = objects.find((object) => textAt(object, "metadata", "name") === "fleet-agent-bootstrap");
      expect(Buffer.from(textAt(secret, "data", "token") ?? "", "base64").toString("utf8")).toBe(bootstrap.token);
      expect(objects.map((object) => textAt(object, "kind"))).toContain("Deployment");
      expect(await secrets()).toEqual([]);
      expect((await fetch(url)).status).toBe(404);
    });

    it("A63: is handed to one of many who ask at the same time", async () => {
      const url = await makeAddress();
      const answers = await Promise.all(Array.from({ length: 6 }, () => fetch(url)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404]);
    });

    it("A63: stays used when it could not be deleted", async () => {
      const url = await makeAddress();
      isDeleting = false;
      expect((await fetch(url)).status).toBe(200);
      expect((await fetch(url)).status).toBe(404);
      const [left] = await secrets();
      expect(left?.metadata.annotations).toHaveProperty(["rollcall.dev/used"]);
      await fetch(await makeAddress());
      expect((await secrets()).map(({ metadata }) => metadata.uid)).not.toContain(left?.metadata.uid);
      isDeleting = true;
      await fetch(await makeAddress());
    });

    it("A63: is refused after its 15 minutes, and is deleted then", async () => {
      const url = await makeAddress();
      shiftMs = installValidMs + 2_000;
      expect((await fetch(url)).status).toBe(404);
      shiftMs = 0;
      expect((await fetch(url)).status).toBe(404);
      expect(await secrets()).toEqual([]);
    });

    it("A63: has the same answer for a wrong key, another workspace and a Secret of another kind", async () => {
      const url = await makeAddress();
      const wrong = `${"A".repeat(42)}E`;
      const path = new URL(url).pathname;
      const texts: string[] = [];
      for (const other of [
        path.replace(/\.[^.]+\.yaml$/u, `.${wrong}.yaml`),
        path.replace(session.workspace, "kube-system"),
        path.replace(".yaml", ".json"),
        path.replace(session.workspace, `${session.workspace}%2f..`),
        "/v1/import/",
        `/v1/import/${session.workspace}.${"A".repeat(20_0)}.yaml`,
      ]) {
        const answer = await fetch(`${base()}${other}`);
        texts.push(`${answer.status} ${await answer.text()}`);
      }
      expect(new Set(texts).size, texts.join("")).toBe(1);
      expect(calls.all).toBe(2);
      expect((await fetch(url, { method: "HEAD" })).status).toBe(405);
      expect((await fetch(url)).status).toBe(200);
    });

    it("A63: asks the hub for a bounded number of addresses at the same time during a flood", async () => {
      const url = await makeAddress();
      const guess = (index: number): string =>
        `${base()}/v1/import/${session.workspace}.${String(index).padStart(43, "0")}.yaml`;
      const answers = await Promise.all(Array.from({ length: 300 }, (_, index) => fetch(guess(index))));
      const statuses = new Set(answers.map(({ status }) => status));
      expect([...statuses].filter((status) => status !== 404 && status !== 429)).toEqual([]);
      expect(calls.most).toBeLessThanOrEqual(mostLookups);
      expect((await fetch(url)).status).toBe(200);
    });

    it("A63: puts no address into the log or an answer when the hub does not answer, and keeps it good", async () => {
      const url = await makeAddress();
      const key = url.slice(-48, -5);
      isUnreachable = true;
      const answer = await fetch(url);
      expect([answer.status, await answer.text()]).toEqual([503, "the hub does not answer\n"]);
      isUnreachable = false;
      expect((await fetch(url)).status).toBe(200);
      expect(lines.join("\n")).not.toContain(key);
    });

    it.each([
      ["http of another machine", { "install-url": "http://rollcall.example.com" }],
      ["a user and a password", { "install-url": "https://me:secret@rollcall.example.com" }],
      ["a password alone", { "install-url": "https://:secret@rollcall.example.com" }],
      ["a query", { "install-url": "https://rollcall.example.com?a=b" }],
      ["a fragment", { "install-url": "https://rollcall.example.com/#rollcall" }],
      ["no address", { "install-url": "rollcall.example.com" }],
    ])("is not made for %s", async (_what, options) => {
      await expect(makeAddress(options)).rejects.toMatchObject({ code: "E_USAGE" });
      expect(await secrets()).toEqual([]);
    });

    it.each(["http://localhost:8080", "http://[::1]:8080", "https://rollcall.example.com/below"])(
      "is made below %s, and leaves other addresses of the workspace valid",
      async (place) => {
        const url = await makeAddress();
        const text = await print({ "install-url": place });
        expect(text.slice(0, text.indexOf("/v1/"))).toBe(`kubectl apply -f ${place}`);
        const { pathname } = new URL(text.trim().split(" ").at(-1) ?? "");
        for (const address of [url, `${base()}${pathname.replace("/below", "")}`])
          expect((await fetch(address)).status).toBe(200);
      },
    );

    it.skipIf(readBy === undefined)("is read by kubectl apply -f", async () => {
      expect(await readBy?.(await makeAddress())).toContain("deployment.apps/fleet-agent");
    });
  });
}
