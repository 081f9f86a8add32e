import { afterAll, beforeAll, expect } from "vitest";
import type { RawClient, Request } from "../kube/differential/replay.ts";
import { rawClient } from "../kube/differential/replay.ts";
import type { HubUnderTest } from "./hub-under-test.ts";
import { embeddedHub, realHub } from "./hub-under-test.ts";

interface Closable {
  close(): Promise<void>;
}

/**
 * An embedded hub and a real kube-apiserver for the tests of this file or group: a client of each, in this order. The list is
 * filled before the first test, and its clients are closed after the last one.
 */
export function clientsOfTwoHubs<C extends Closable>(makeClient: (kubeconfig: string) => C): readonly C[] {
  const clients: C[] = [];
  let embedded: HubUnderTest | undefined;
  beforeAll(async () => {
    embedded = await embeddedHub();
    clients.push(makeClient(embedded.kubeconfig), makeClient((await realHub()).kubeconfig));
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await embedded?.stop();
  });
  return clients;
}

/** The same with raw requests. */
export function twoHubs(): readonly RawClient[] {
  return clientsOfTwoHubs(rawClient);
}

/** Sends a request to each hub; each takes it. */
export async function sendToBoth(clients: readonly RawClient[], request: Request): Promise<void> {
  for (const client of clients) {
    const { code, body } = await client.send(request);
    expect(code, `${request.method} ${request.path} ${JSON.stringify(body)}`).toBeLessThan(300);
  }
}
