import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../../src");

/** Every place where a server of this program begins to listen, and how the address is chosen. */
const servers: Readonly<Record<string, string>> = {
  "embedded-hub/http/http-server.ts": "EmbeddedHubOptions.host: 127.0.0.1 by default",
  "web/web.ts": "--metrics-address and --page-address: nowhere by default",
  "agent/health-server.ts": "ROLLCALL_HEALTH_PORT: nowhere by default; a probe comes from the node",
  "embedded-node/host-mapping.ts": "127.0.0.1",
  "demo/port-book.ts": "127.0.0.1: a try, closed at once",
};

const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts") && !file.startsWith("model/generated/"))
  .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));

describe("A40 what listens on the network", () => {
  it("is these servers alone", () => {
    const found = sources.filter(({ text }) => /\.listen\(/u.test(text)).map(({ file }) => file);
    expect(found.sort()).toEqual(Object.keys(servers).sort());
  });

  it("has an address that was chosen: without one Node listens on all", () => {
    const calls = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/\.listen\(([^)]*?)(?:\(\) =>|resolve\))/gu)].map(([, args = ""]) => ({ file, args })),
    );
    expect(calls).toHaveLength(Object.keys(servers).length);
    expect(calls.filter(({ args }) => !/\bhost\b|"127\.0\.0\.1"/u.test(args))).toEqual([]);
  });

  it("is nothing, or this machine alone, unless an option names more", () => {
    const textOf = (file: string): string => sources.find((source) => source.file === file)?.text ?? "";
    expect(textOf("embedded-hub/embedded-hub.ts")).toContain('host = "127.0.0.1"');
    for (const option of ["metrics-address", "page-address"])
      expect(textOf("settings/options.ts")).toMatch(new RegExp(`"${option}",[^;]{0,200}?Default: nowhere`, "u"));
  });
});
