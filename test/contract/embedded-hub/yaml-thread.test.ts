import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readYamlText } from "../../../src/embedded-hub/http/parse-yaml.ts";
import { shortYamlLength, YamlReader } from "../../../src/embedded-hub/http/yaml-reader.ts";
import { buildScript } from "../../support/build-script.ts";
import { realClock } from "../../support/real-time.ts";
import { startTestHub } from "./hub-client.ts";

const root = join(import.meta.dirname, "../../..");
const filler = `# ${"x".repeat(shortYamlLength)}\n`;
let folder: string;
let entry: URL;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "yaml-thread-"));
  entry = pathToFileURL(await buildScript(join(root, "src/embedded-hub/http/yaml-thread.ts"), folder));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the thread that reads long YAML bodies", () => {
  it.each([
    ["whole numbers of 64 bits", "a: 9007199254740993\nb: -9223372036854775808\nc: 1.5\nd: 0640\n"],
    ["a key named __proto__", "__proto__: {a: 1}\nconstructor: b\n"],
    ["aliases and merged maps", "a: &x {b: 1}\nc: *x\nd: {<<: *x, e: 2}\n"],
    ["duplicate keys", "a: 1\na: 2\n"],
    ["a long text", `a: "${"x\\n".repeat(100_000)}"\n`],
    ["a number that JSON does not have", "a: .nan\n"],
    ["a malformed text", "a: [b\n"],
    ["two documents", "a: 1\n---\nb: 1\n"],
    ["too many values", `a:\n${"- b\n".repeat(60_000)}`],
    ["nothing", ""],
  ])("answers as this thread does: %s", async (_, text) => {
    const reader = new YamlReader({ entry, clock: realClock });
    try {
      const outcome = await reader.read(filler + text, { username: "a", groups: [] }, () => undefined);
      expect(outcome).toStrictEqual(readYamlText(filler + text));
    } finally {
      await reader.close();
    }
  });

  it("A51 reads what every verb of the hub gets", async () => {
    const object = '{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { by: "a thread" } }';
    const answer = `parentPort.on("message", () => parentPort.postMessage({ kind: "value", value, duplicates: [] }));`;
    const file = join(folder, "fixed.mjs");
    await writeFile(file, `import { parentPort } from "node:worker_threads";\nconst value = ${object};\n${answer}\n`);
    const hub = await startTestHub({ yamlThread: pathToFileURL(file) });
    const maps = "/api/v1/namespaces/default/configmaps";
    const send = async (method: string, path: string, type: string): Promise<unknown> => {
      // Node's client names no length of the body of a deletion.
      const headers = { "content-type": type, "content-length": String(filler.length) };
      const { json } = await hub.call({ method, path, body: filler, headers });
      return json;
    };
    try {
      expect(await send("POST", maps, "application/yaml")).toMatchObject({ data: { by: "a thread" } });
      expect(await send("PUT", `${maps}/a`, "application/yaml")).toMatchObject({ data: { by: "a thread" } });
      const patched = await send("PATCH", `${maps}/a?fieldManager=b&force=true`, "application/apply-patch+yaml");
      expect(patched).toMatchObject({ data: { by: "a thread" } });
      // The options of a deletion that are a ConfigMap.
      expect(await send("DELETE", `${maps}/a`, "application/yaml")).toMatchObject({ code: 500 });
    } finally {
      await hub.stop();
    }
  });
});
