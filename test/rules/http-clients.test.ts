import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../../src");

const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((entry) => entry.replaceAll("\\", "/"))
  .filter((file) => /\.tsx?$/u.test(file))
  .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));

function filesWith(pattern: RegExp): string[] {
  return sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file);
}

describe("requests to other servers", () => {
  it("are sent by the room http and by the transports of kube alone (decision 45)", () => {
    expect(filesWith(/^import \{.*\} from "undici"/mu).sort()).toEqual([
      "http/dispatcher.ts",
      "http/exchange.ts",
      "kube/undici-transport.ts",
    ]);
    const clients = /\b(?:request|connect|get)\b[^;]*from "node:(?:https?|tls|net)"/u;
    expect(
      filesWith(clients)
        .filter((file) => !file.startsWith("embedded-"))
        .sort(),
    ).toEqual(["kube/https-transport.ts", "kube/open-socket.ts"]);
    expect(filesWith(/\bfetch\(/u).filter((file) => /\bawait fetch\(/u.test(file))).toEqual([]);
  });

  it("have one home for each decision", () => {
    const places: Readonly<Record<string, RegExp>> = {
      "http/failure.ts": /UNABLE_TO_|DEPTH_ZERO/u,
      "http/proxy.ts": /decodeURIComponent\([^)]*\.password/u,
      "http/redirect.ts": /\[301, 302/u,
      "http/retry-after.ts": /Date\.parse\(header\)/u,
      "http/trust.ts": /\brootCertificates\b/u,
    };
    for (const [home, pattern] of Object.entries(places)) {
      expect([home, filesWith(pattern).filter((file) => file !== home)]).toEqual([home, []]);
    }
  });
});
