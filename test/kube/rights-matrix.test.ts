import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { embeddedHub, ownRealHub } from "../support/hub-under-test.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { accountNames } from "./rights/accounts.ts";
import { matrixDifference } from "./rights/known-differences.ts";
import { makeMatrixRequest } from "./rights/make-request.ts";
import { matrixHub } from "./rights/matrix-hub.ts";
import type { MatrixHub } from "./rights/matrix-hub.ts";
import { prepareMatrix } from "./rights/prepare.ts";
import { realWriteOf, renew, stateOf } from "./rights/real-writes.ts";

/** The full matrix: ROLLCALL_RIGHTS_REQUESTS=100000. Another one: ROLLCALL_RIGHTS_SEED. */
const requestCount = Number(process.env["ROLLCALL_RIGHTS_REQUESTS"] ?? "3000");
const seed = Number(process.env["ROLLCALL_RIGHTS_SEED"] ?? "1");
/** One after the other, with the objects made anew between. More: ROLLCALL_RIGHTS_WRITES=5000. */
const writeCount = Number(process.env["ROLLCALL_RIGHTS_WRITES"] ?? "300");
const inFlight = 8;

describe("the rights of a request", () => {
  const stops: (() => void | Promise<void>)[] = [];
  let embedded: MatrixHub;
  let real: MatrixHub;

  // A control plane of its own: what these requests write, other tests would find.
  beforeAll(async () => {
    const names = new Map([
      ["NS", `rights-${process.pid}`],
      ["GROUP", `rights-${process.pid}.example.org`],
      ["ACCOUNT", `rights-${process.pid}`],
    ]);
    const start = async (hub: {
      readonly kubeconfig: string;
      readonly stop: () => Promise<void>;
    }): Promise<MatrixHub> => {
      const client = matrixHub(hub.kubeconfig, names);
      stops.push(async () => {
        client.close();
        await hub.stop();
      });
      return client;
    };
    [embedded, real] = await Promise.all([start(await embeddedHub()), start(await ownRealHub())]);
    await Promise.all([prepareMatrix(embedded), prepareMatrix(real)]);
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
  });

  it(`A48 are those of kube-apiserver, for ${requestCount} requests of any method, path and account`, async () => {
    const random = seededRandom(seed);
    const differences: string[] = [];
    let sent = 0;
    const pool = async (): Promise<void> => {
      while (sent < requestCount && differences.length < 200) {
        sent += 1;
        const request = makeMatrixRequest({ random, accounts: accountNames });
        const [ours, theirs] = await Promise.all([embedded.send(request), real.send(request)]);
        const difference = matrixDifference(request, ours, theirs);
        if (difference !== undefined) differences.push(difference);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, pool));
    expect(differences).toEqual([]);
    expect(sent).toBeGreaterThanOrEqual(requestCount);
  }, 900_000);

  it(`A48 change the same as there, for ${writeCount} requests that write`, async () => {
    const random = seededRandom(seed);
    const differences: string[] = [];
    const strong = ["admin", "root", "maker", "remover", "editor", "namer", "cluster-namer", "reader", "parts"];
    let sent = 0;
    let allowed = 0;
    while (sent < writeCount && differences.length < 50) {
      const write = realWriteOf(makeMatrixRequest({ random, accounts: strong }));
      if (write === undefined) continue;
      sent += 1;
      const { request, collection } = write;
      const hubs = [embedded, real] as const;
      await Promise.all(hubs.map(async (hub) => renew(hub, collection, await stateOf(hub, collection))));
      const [ours, theirs] = await Promise.all([embedded.send(request), real.send(request)]);
      if (theirs.code < 300) allowed += 1;
      const difference = matrixDifference(request, ours, theirs);
      const [ourState, theirState] = await Promise.all([stateOf(embedded, collection), stateOf(real, collection)]);
      if (difference !== undefined) differences.push(difference);
      else if (ourState.join() !== theirState.join()) {
        const line = `${request.account} ${request.method} ${request.target}`;
        differences.push(`${line}: ${ours.code}: left ${ourState.join()}, not ${theirState.join()}`);
      }
    }
    expect(differences).toEqual([]);
    expect(allowed).toBeGreaterThan(writeCount / 20);
  }, 900_000);
});
