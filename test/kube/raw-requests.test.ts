import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { embeddedHub, ownRealHub } from "../support/hub-under-test.ts";
import type { RawHub } from "../support/raw-hub.ts";
import { rawHub } from "../support/raw-hub.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { accountNames } from "./rights/accounts.ts";
import { rawDifference } from "./rights/known-raw-differences.ts";
import { makeRawRequest } from "./rights/make-raw-request.ts";
import type { MatrixRequest } from "./rights/make-request.ts";
import { makeMatrixRequest } from "./rights/make-request.ts";
import { matrixHub } from "./rights/matrix-hub.ts";
import { prepareMatrix } from "./rights/prepare.ts";

/** More: ROLLCALL_RAW_REQUESTS=20000. Others: ROLLCALL_RIGHTS_SEED. */
const requestCount = Number(process.env["ROLLCALL_RAW_REQUESTS"] ?? "1000");
const seed = Number(process.env["ROLLCALL_RIGHTS_SEED"] ?? "1");
const inFlight = 8;

describe("a request as bytes of HTTP/1.1", () => {
  const stops: (() => void | Promise<void>)[] = [];
  const names = new Map([
    ["NS", `raw-${process.pid}`],
    ["GROUP", `raw-${process.pid}.example.org`],
    ["ACCOUNT", `raw-${process.pid}`],
  ]);
  const fill = (text: string): string => [...names].reduce((filled, [from, to]) => filled.replaceAll(from, to), text);
  let embedded: RawHub;
  let real: RawHub;

  // A control plane of its own: what these requests write, other tests would find.
  beforeAll(async () => {
    const hubs = await Promise.all([embeddedHub(), ownRealHub()]);
    for (const { kubeconfig, stop } of hubs) {
      stops.push(stop);
      const client = matrixHub(kubeconfig, names);
      await prepareMatrix(client);
      client.close();
    }
    [embedded, real] = [rawHub(hubs[0].kubeconfig), rawHub(hubs[1].kubeconfig)];
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
  });

  it(`A48 is decided as by kube-apiserver, for ${requestCount} rare and wrong forms`, async () => {
    const random = seededRandom(seed);
    const differences: string[] = [];
    let sent = 0;
    const pool = async (): Promise<void> => {
      while (sent < requestCount && differences.length < 200) {
        sent += 1;
        const accounts = accountNames.filter((name) => name !== "anonymous");
        // Filled first: the length of a body is one of its headers.
        const request = JSON.parse(fill(JSON.stringify(makeMatrixRequest({ random, accounts })))) as MatrixRequest;
        const user = request.account === "admin" ? undefined : fill(`ACCOUNT-${request.account}`);
        const raw = makeRawRequest(request, user, random);
        const sendTo = (hub: RawHub): ReturnType<RawHub["send"]> =>
          hub.send(raw.text.replaceAll("AUTHORITY", hub.authority));
        const [ours, theirs] = await Promise.all([sendTo(embedded), sendTo(real)]);
        const difference = rawDifference(raw, ours, theirs);
        if (difference !== undefined) differences.push(difference);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, pool));
    expect(differences).toEqual([]);
    expect(sent).toBeGreaterThanOrEqual(requestCount);
  }, 900_000);
});
