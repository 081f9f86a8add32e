import { once } from "node:events";
import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2";
import { connect } from "node:http2";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { queueLimits } from "../../../src/embedded-hub/http/request-queue.ts";
import { countOfRun } from "../../support/full-counts.ts";
import { heldBytes } from "../../support/held-bytes.ts";
import { ofThisMachine, startCpuWatch } from "../../support/of-this-machine.ts";
import type { TestHub } from "./hub-client.ts";
import { startTestHub } from "./hub-client.ts";

let server: TestHub;

const agent = "agent-of-a-cluster";
const quietAgent = "agent-of-another";

beforeAll(async () => {
  server = await startTestHub();
  const metadata = { name: agent };
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch", "create", "patch"] }];
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  await server.call({ method: "POST", path: `${rbac}/clusterroles`, body: { metadata, rules } });
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: agent };
  const apiGroup = "rbac.authorization.k8s.io";
  const subjects = [agent, quietAgent].map((name) => ({ apiGroup, kind: "User", name }));
  await server.call({ method: "POST", path: `${rbac}/clusterrolebindings`, body: { metadata, roleRef, subjects } });
});
afterAll(() => server.stop());

const headers = { "impersonate-user": agent };
const configMaps = "/api/v1/namespaces/default/configmaps";

async function openSession(): Promise<ClientHttp2Session> {
  // Bodies that it has not sent count as memory of the session, beyond which a client of Node.js 22 takes no answers.
  const options = { maxSessionMemory: 1000, settings: { initialWindowSize: 65_535 } };
  const session = connect(server.hub.url, { ...server.tls, ...options });
  session.on("error", () => undefined); // the hub may end it
  await once(session, "connect");
  return session;
}

/** A watch that has begun, since the first event is here, and whose further events are not read. */
async function openUnreadWatch(session: ClientHttp2Session): Promise<ClientHttp2Stream> {
  const path = `${configMaps}?watch=true&fieldSelector=metadata.name%3Dreport`;
  const stream = session.request({ ":path": path, ...headers });
  stream.on("error", () => undefined); // the hub cuts it off
  const begun = once(stream, "data");
  const [answer] = (await once(stream, "response")) as [Record<string, unknown>];
  expect(answer[":status"]).toBe(200);
  await begun;
  stream.pause();
  return stream;
}

describe("a client that does not read", () => {
  it("A50 holds bounded memory with 900 unread watches of one credential", async () => {
    await server.call({ method: "POST", path: configMaps, body: { metadata: { name: "report" } }, headers });
    const sessions = await Promise.all([openSession(), openSession(), openSession()]);
    for (const session of sessions) {
      await Promise.all(Array.from({ length: 300 }, () => openUnreadWatch(session)));
    }
    const beforeBytes = process.memoryUsage().rss;
    let most = 0;
    for (let index = 0; index < 20; index += 1) {
      const answer = await server.call({
        method: "PATCH",
        path: `${configMaps}/report`,
        body: { metadata: { annotations: { big: `${index}`.padEnd(200_000, "x") } } },
        headers: { ...headers, "content-type": "application/merge-patch+json" },
      });
      expect(answer.statusCode).toBe(200);
      most = Math.max(most, process.memoryUsage().rss - beforeBytes);
    }
    // Unbounded it is 900 x 20 x 200 kB = 3.6 GB.
    expect(most).toBeLessThan(800 * 1024 * 1024);
    for (const session of sessions) session.destroy();
  });

  it("A50 gives its memory back once it is cut off, though its connection stays", async () => {
    await server.call({ method: "POST", path: configMaps, body: { metadata: { name: "report" } }, headers });
    const session = await openSession();
    const patch = (text: string): Promise<{ readonly statusCode: number }> =>
      server.call({
        method: "PATCH",
        path: `${configMaps}/report`,
        body: { metadata: { annotations: { big: text } } },
        headers: { ...headers, "content-type": "application/merge-patch+json" },
      });
    await patch("");
    const before = { held: heldBytes(), rss: process.memoryUsage().rss };
    const streams = await Promise.all(Array.from({ length: 300 }, () => openUnreadWatch(session)));
    for (let index = 0; index < 20; index += 1) await patch(`${index}`.padEnd(200_000, "x"));
    await patch("");
    const megabytes = 1024 ** 2;
    await expect.poll(() => (heldBytes() - before.held) / megabytes).toBeLessThan(32);
    expect((process.memoryUsage().rss - before.rss) / megabytes).toBeLessThan(256);
    // Each of them was cut off: what is read now ends.
    const ends = streams.map(async (stream) => {
      stream.resume();
      if (!stream.closed) await new Promise((resolve) => stream.once("close", resolve));
    });
    await Promise.all(ends);
    session.destroy();
  });
});

describe("a client that floods", () => {
  it("A60 is answered or refused with 429 and Retry-After, and the administrator is answered", async () => {
    // More than may be in flight and wait.
    const sessions = await Promise.all([openSession(), openSession()]);
    const statuses = sessions.flatMap((session) =>
      Array.from({ length: 900 }, async () => {
        const stream = session.request({ ":path": `${configMaps}?limit=1`, ...headers });
        const [answer] = (await once(stream, "response")) as [Record<string, unknown>];
        stream.resume();
        return answer;
      }),
    );
    expect((await server.call({ path: "/livez" })).statusCode).toBe(200);
    expect((await server.call({ path: `${configMaps}?limit=1` })).statusCode).toBe(200);
    const answers = await Promise.all(statuses);
    for (const answer of answers) {
      expect([200, 429]).toContain(Number(answer[":status"]));
      if (answer[":status"] === 429) expect(answer["retry-after"]).toBe("1");
    }
    for (const session of sessions) session.destroy();
  });
});

describe("two ordinary accounts", () => {
  const quietCount = countOfRun({ full: 100, short: 40 });

  it("A60 one that floods lets the other wait for few of its requests", async () => {
    const sessions = await Promise.all([openSession(), openSession(), openSession()]);
    const flooded = { served: 0, isOver: false };
    const lanes = sessions.flatMap((session) =>
      Array.from({ length: 300 }, async () => {
        while (!flooded.isOver) {
          const stream = session.request({ ":path": `${configMaps}?limit=500`, ...headers });
          const ended = once(stream, "close");
          stream.resume();
          await ended;
          flooded.served += 1;
        }
      }),
    );
    const quiet = await openSession();
    const waits: number[] = [];
    for (let count = 0; count < quietCount; count += 1) {
      const servedBefore = flooded.served;
      const stream = quiet.request({ ":path": `${configMaps}?limit=1`, "impersonate-user": quietAgent });
      const [answer] = (await once(stream, "response")) as [Record<string, unknown>];
      stream.resume();
      await once(stream, "close");
      expect(answer[":status"]).toBe(200);
      waits.push(flooded.served - servedBefore);
    }
    flooded.isOver = true;
    await Promise.all(lanes);
    for (const session of [...sessions, quiet]) session.destroy();
    const sorted = waits.toSorted((a, b) => a - b);
    expect(flooded.served).toBeGreaterThan(10 * quietCount);
    // In the order of their arrival it would be 900; those in flight are answered first.
    expect(sorted[quietCount - 2]).toBeLessThan(2 * queueLimits.perUser);
  });
});

describe("a client whose bodies do not arrive", () => {
  it("A60 holds no seat: 300 unfinished bodies delay no other request of the same account", async () => {
    const session = await openSession();
    const streams = Array.from({ length: 300 }, () => {
      const stream = session.request({ ":path": configMaps, ":method": "POST", ...headers }, { endStream: false });
      stream.on("error", () => undefined); // the session is ended with it open
      stream.write("{");
      return stream;
    });
    expect((await server.call({ path: `${configMaps}?limit=1`, headers })).statusCode).toBe(200);
    expect(streams.every((stream) => !stream.closed)).toBe(true);
    session.destroy();
  });

  it("A60 holds at most 64 MiB of bodies, and gets 429 beyond", async () => {
    const session = await openSession();
    const part = Buffer.alloc(1024 * 1024, " ");
    const statuses = Array.from({ length: 80 }, async () => {
      const stream = session.request({ ":path": configMaps, ":method": "POST", ...headers }, { endStream: false });
      stream.on("error", () => undefined); // the session is ended with it open
      stream.write(part);
      const [answer] = (await once(stream, "response")) as [Record<string, unknown>];
      return answer[":status"];
    });
    expect(await Promise.any(statuses)).toBe(429);
    expect((await server.call({ path: `${configMaps}?limit=1`, headers })).statusCode).toBe(200);
    session.destroy();
  });
});

const owner = (index: number) => ({ apiVersion: "v1", kind: "Pod", name: `p-${index}`, uid: `u-${index}` });

describe("a request with a long list", () => {
  it.each([
    ["owners", (count: number) => ({ ownerReferences: Array.from({ length: count }, (_, index) => owner(index)) })],
    [
      "owners that all control",
      (count: number) => ({
        ownerReferences: Array.from({ length: count }, (_, index) => ({ ...owner(index), controller: true })),
      }),
    ],
    ["finalizers", (count: number) => ({ finalizers: Array.from({ length: count }, (_, index) => `a.io/f-${index}`) })],
    [
      "labels",
      (count: number) => ({
        labels: Object.fromEntries(Array.from({ length: count }, (_, index) => [`l-${index}`, "x"])),
      }),
    ],
  ])("A51 with %s costs at most in proportion to its length", async (kind, metadataOf) => {
    let made = 0;
    const costOf = async (size: number): Promise<number> => {
      const name = `long-${kind.replaceAll(" ", "-")}-${made++}`;
      const body = { metadata: { name, ...metadataOf(size) } };
      const sinceMs = startCpuWatch();
      await server.call({ method: "POST", path: configMaps, body });
      return sinceMs();
    };
    let [smallMs, largeMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    // Two doublings: in proportion it takes 4 times as long, a quadratic one 16 times. A cheap one is not measured.
    const isTooMuch = () => largeMs > ofThisMachine(100) && largeMs > 8 * smallMs;
    // In turn, and as often as it needs: calls that compile code, or collect the garbage of others, cost more than they are to.
    for (let run = 0; run < 3 || (run < 12 && isTooMuch()); run += 1) {
      largeMs = Math.min(largeMs, await costOf(3_200));
      smallMs = Math.min(smallMs, await costOf(800));
    }
    expect({ largeMs, smallMs, isTooMuch: isTooMuch() }).toMatchObject({ isTooMuch: false });
    expect(largeMs).toBeLessThan(ofThisMachine(1000));
  });
});
