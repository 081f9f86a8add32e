import type { GitHttpRequest, HttpTransport } from "../../src/git/wire/http-transport.ts";
import { encodePacket, encodePackets } from "../../src/git/wire/pkt-line.ts";

/** Lines and markers, or bytes; or why there is none. */
export type ScriptedAnswer = readonly string[] | Buffer | Error;

/** A server that gives these answers one after the other. */
export function scriptedGitServer(...answers: readonly ScriptedAnswer[]) {
  const requests: GitHttpRequest[] = [];
  const transport: HttpTransport = {
    url: "https://git.example.com/fleet.git",
    effectiveUrl: "https://git.example.com/fleet.git",
    secrets: ["s3cret-password"],
    send: (request) => {
      const answer = answers[requests.push(request) - 1];
      if (answer === undefined) throw new Error("the script has no further answer");
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve(inPieces(Buffer.isBuffer(answer) ? answer : encodePackets(answer)));
    },
    close: () => Promise.resolve(),
  };
  return { transport, requests, bodyOf: (index: number) => textOf(requests[index]?.body) };
}

/** A line of a side band. */
export function onBand(band: number, content: string | Buffer): Buffer {
  return encodePacket(Buffer.concat([Buffer.from([band]), Buffer.from(content)]));
}

async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array, void, undefined> {
  const sizeBytes = Math.max(100, bytes.length / 10);
  for (let start = 0; start < bytes.length; start += sizeBytes) yield bytes.subarray(start, start + sizeBytes);
}

function textOf(body: Uint8Array | undefined): string {
  return Buffer.from(body ?? []).toString("latin1");
}
