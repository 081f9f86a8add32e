import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * What a Pod of the tests runs, as plain JavaScript. Its arguments set how it behaves: `exit=3` ends by itself,
 * `stubborn` ignores SIGTERM, `sick` answers its probes with 500, `noisy=100` logs so many lines.
 */
const source = `import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import process from "node:process";

const options = new Map(process.argv.slice(2).map((word) => word.split("=", 2)));
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => {
  console.log("asked to end");
  if (!options.has("stubborn")) process.exit(0);
});
console.log("env " + JSON.stringify(process.env));
console.log("args " + JSON.stringify(process.argv.slice(2)));
console.error("on stderr");
for (let line = 1; line <= Number(options.get("noisy") ?? 0); line++) console.log("line " + line);
if (process.env.MARK) writeFileSync(process.env.MARK, String(process.pid));
let isSick = false;
if (process.env.HEALTH_PORT) {
  const server = createServer((request, response) => {
    if (request.url === "/sicken") isSick = true;
    response.statusCode = isSick || options.has("sick") ? 500 : 200;
    response.end();
  });
  server.listen(Number(process.env.HEALTH_PORT), "127.0.0.1", () => console.log("listening"));
}
if (options.has("exit")) setTimeout(() => process.exit(Number(options.get("exit"))), 20);
else setInterval(() => undefined, 60_000);
`;

/** Writes the program into a folder and returns its path. */
export async function writeWorker(folder: string): Promise<string> {
  const path = join(folder, "worker.mjs");
  await writeFile(path, source);
  return path;
}
