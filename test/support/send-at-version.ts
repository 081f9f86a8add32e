import { textAt } from "../../src/core/read-json.ts";
import type { Answer, RawClient, Request } from "../kube/differential/replay.ts";

/**
 * Sends a change that names the live object's version, as often as another client has written the object in between: a
 * controller of the real control plane may do so at any moment.
 */
export async function sendAtVersion(
  client: RawClient,
  path: string,
  requestAt: (resourceVersion: string) => Request,
): Promise<Answer> {
  for (;;) {
    const live = await client.send({ method: "GET", path });
    const answer = await client.send(requestAt(textAt(live.body, "metadata", "resourceVersion") ?? ""));
    if (answer.code !== 409 || !JSON.stringify(answer.body).includes("has been modified")) return answer;
  }
}
