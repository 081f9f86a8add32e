// How long `rollcall validate` and `rollcall plan` take on a repository of 10,000 cluster files, start included:
// `node test/bench/validate.mjs` after `npm run build`. Every tenth file needs the parser of YAML (an escape), the others
// only the scanner. With KUBECONFORM=<path of kubeconform> the same files are checked by it too, with the same schema.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const fileCount = 10_000;
const rounds = 3;
/** What costs most for its bytes: in files so small that no bound of one file ends its reading. */
const heavyBytes = 10 * 1024 * 1024;
const heavyFileBytes = 5 * 1024;
const heaviestPieces = [
  ["anchors and aliases", "---\na: &a x\nb: [*a, *a]\n"],
  ["documents without content", "---\n"],
  ["lists without items", "---\n[]\n"],
  ["flow sequences", "---\na: [1, 2, 3]\n"],
];
const program = fileURLToPath(new URL("../../bin/rollcall.js", import.meta.url));

const clusterText = (number, needsParser) => `# yaml-language-server: $schema=rollcall.schema.json
apiVersion: rollcall.dev/v1alpha1
kind: Cluster
metadata:
  name: c-${number}
  namespace: team-${number % 10}
  labels:
    env: ${["prod", "staging", "dev"][number % 3]}
    region: eu-${number % 7}
    tier: "gold"
spec:
  displayName: ${needsParser ? `"Cluster\\tnumber ${number}"` : `Cluster number ${number}`}
  clientID: 5b4c6a52-9f2e-4c55-9d57-${String(number).padStart(12, "0")}
  kubeConfigSecretRef:
    name: c-${number}-kubeconfig
  heartbeat:
    periodSeconds: 60
  agent:
    version: 0.1.${number % 9}
    resources:
      requests: {cpu: 20m, memory: 64Mi}
      limits:
        memory: 128Mi
  deletionPolicy: Detach
`;

function makeRepository(folder, parserShare) {
  for (let number = 0; number < fileCount; number++) {
    const path = join(folder, `clusters/team-${number % 10}/c-${number}.yaml`);
    if (number < 10) mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, clusterText(number, parserShare > 0 && number % Math.round(1 / parserShare) === 0));
  }
}

function measure(name, run, count = rounds) {
  const rows = Array.from({ length: count }, () => {
    const start = performance.now();
    const cpuMs = run();
    return { wallMs: performance.now() - start, cpuMs };
  });
  const wall = median(rows.map(({ wallMs }) => wallMs));
  const cpu = median(rows.map(({ cpuMs }) => cpuMs));
  console.log(`${name.padEnd(52)} ${wall.toFixed(0).padStart(6)} ms, ${cpu.toFixed(0).padStart(5)} ms of CPU`);
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

/** Runs a program to its end; milliseconds of CPU, its own and the system's for it. */
function cpuOf(command, ...args) {
  const script = 'out=$("$@") || { echo "$out" | head -5 >&2; exit 1; }; times';
  const { CI: _isKeptNothing, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync("sh", ["-c", script, "sh", command, ...args], {
    encoding: "utf8",
    cwd: folder,
    env,
  });
  if (status !== 0) throw new Error(`${command} ended ${status}: ${stderr.slice(0, 500)}`);
  const [, children = ""] = stdout.trim().split("\n");
  return [...children.matchAll(/(\d+)m([\d.]+)s/gu)].reduce(
    (sum, [, min, sec]) => sum + (min * 60 + Number(sec)) * 1000,
    0,
  );
}

function rollcall(...args) {
  return cpuOf(process.execPath, program, ...args);
}

function git(...args) {
  const identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"];
  const { status, stderr } = spawnSync("git", [...identity, ...args], { encoding: "utf8", cwd: folder });
  if (status !== 0) throw new Error(`git ${args[0]} ended ${status}: ${stderr}`);
}

function readAll(folder) {
  let size = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) size += readFileSync(join(entry.parentPath ?? entry.path, entry.name)).length;
  }
  return size;
}

const folder = mkdtempSync(join(tmpdir(), "validate-bench-"));
const cacheFolder = mkdtempSync(join(tmpdir(), "validate-bench-cache-"));
try {
  console.log(`${fileCount} files; Node ${process.version}, ${cpus().length} cores, ${cpus()[0]?.model ?? "unknown"}`);
  console.log(`load of the machine: ${loadavg()[0].toFixed(1)}; median of ${rounds}`);
  makeRepository(folder, 0);
  measure("reading the files, nothing else", () => readAll(folder) * 0);
  measure("validate, simple files", () => rollcall("validate", "."));
  const kubeconform = process.env.KUBECONFORM;
  if (kubeconform !== undefined) {
    const schema = spawnSync(process.execPath, [program, "schema", "Cluster"], { encoding: "utf8" }).stdout;
    writeFileSync(join(folder, "cluster.schema.json"), schema);
    const args = ["-schema-location", join(folder, "cluster.schema.json"), join(folder, "clusters")];
    measure("kubeconform, the same files and schema", () => cpuOf(kubeconform, ...args));
    rmSync(join(folder, "cluster.schema.json"));
  }
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=start");
  writeFileSync(join(folder, "clusters/team-0/c-0.yaml"), clusterText(0, false).replace("gold", "silver"));
  // The first time everything is parsed and kept; from then on, only what changed.
  measure("the same, in a work tree for the first time", () => rollcall("validate", ".", "--changed-since", "main"), 1);
  measure("validate --changed-since main, one file changed", () =>
    rollcall("validate", ".", "--changed-since", "main"),
  );
  git("commit", "--quiet", "--all", "--message=change");
  const plan = () => rollcall("plan", "--offline", "--base", "HEAD~1", "--cache-dir", cacheFolder);
  measure("plan --offline of that commit, the first on its base", plan, 1);
  measure("plan --offline of that commit", plan);
  makeRepository(folder, 0.1);
  measure("validate, every tenth needs the parser", () => rollcall("validate", "."));
  for (const [name, piece] of heaviestPieces) {
    const heavy = join(folder, "heavy");
    mkdirSync(heavy);
    const text = piece.repeat(Math.floor(heavyFileBytes / piece.length));
    for (let at = 0; at < heavyBytes / heavyFileBytes; at++) writeFileSync(join(heavy, `f-${at}.yaml`), text);
    measure(`validate, 10 MiB of ${name}`, () => rollcall("validate", heavy), 1);
    rmSync(heavy, { recursive: true });
  }
  const empty = join(folder, "empty");
  mkdirSync(empty);
  measure("validate, an empty folder", () => rollcall("validate", empty));
} finally {
  for (const each of [folder, cacheFolder]) rmSync(each, { recursive: true });
}
