// What `rollcall validate` costs for 10 MiB of files that a stranger chose: `npm run bench -- validate-shapes` after
// `npm run build`. Each shape as many small files and as few large ones; the slowest three stand at the end.
// `ROLLCALL_BENCH_MIB=1 npm run bench -- validate-shapes` measures 1 MiB of each. Seconds of CPU, start included.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const mebibytes = Number(process.env.ROLLCALL_BENCH_MIB ?? 10);
const fileSizes = [5 * 1024, 250 * 1024];
const program = fileURLToPath(new URL("../../bin/rollcall.js", import.meta.url));
const head = (kind, number) => `---\napiVersion: rollcall.dev/v1alpha1\nkind: ${kind}\nmetadata:\n  name: a${number}\n`;

/** One document, by its number. */
const shapes = {
  "empty documents": () => "---\n",
  "empty documents with a comment": () => "---\n#\n",
  "documents that end": () => "---\n...\n",
  null: () => "---\n~\n",
  "empty lists": () => "---\n[]\n",
  "empty maps": () => "---\n{}\n",
  "single words": () => "---\na\n",
  "unclosed brackets": () => "---\n[\n",
  "unknown tags": () => "---\n- !a b\n",
  "quoted items": () => "- 'a'\n",
  escapes: () => '---\na: "\\n"\n',
  "anchors and aliases": () => "---\na: &a x\nb: [*a, *a]\n",
  "merge keys": () => "---\na: &a {x: 1}\nb:\n  <<: *a\n",
  "flow maps over two lines": () => "---\n{a: b,\n c: d}\n",
  "block texts": () => "---\na: |\n b\n",
  clusters: (number) => `${head("Cluster", number)}  namespace: t\nspec:\n  displayName: x\n`,
  "clusters with a key twice": (number) => `${head("Cluster", number)}kind: Cluster\n`,
  "clusters with an unknown field": (number) => `${head("Cluster", number)}spec:\n  displayNmae: x\n`,
  "clusters with anchors": (number) => `${head("Cluster", number)}  labels: &a\n    env: e\nspec:\n  x: *a\n`,
  "clusters with a block text": (number) => `${head("Cluster", number)}  labels:\n    env: |-\n      x\n`,
  groups: (number) => `${head("ClusterGroup", number)}spec:\n  selector:\n    matchLabels:\n      env: e\n`,
  rules: (number) => `${head("ClusterLabels", number)}spec:\n  selector: {}\n  labels:\n    k: v${number}\n`,
  policies: (number) => `${head("Policy", number)}spec:\n  rules:\n    - {expression: 'true', message: none}\n`,
  Secrets: (number) => `---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: a${number}\nstringData:\n  a: b\n`,
};

const folder = mkdtempSync(join(tmpdir(), "validate-shapes-"));
try {
  console.log(`${mebibytes} MiB; Node ${process.version}, ${cpus().length} cores, ${cpus()[0]?.model ?? "unknown"}`);
  console.log(`load of the machine: ${loadavg()[0].toFixed(1)}`);
  const rows = Object.entries(shapes).flatMap(([name, make]) =>
    fileSizes.map((fileBytes) => {
      const row = { name, ...measureShape(make, fileBytes) };
      console.log(describe(row));
      return row;
    }),
  );
  const slowest = rows.toSorted((a, b) => b.cpuSeconds - a.cpuSeconds).slice(0, 3);
  console.log("the slowest three:");
  for (const row of slowest) console.log(describe(row));
} finally {
  rmSync(folder, { recursive: true });
}

function measureShape(make, fileBytes) {
  const fileCount = Math.round((mebibytes * 1024 * 1024) / fileBytes);
  const dir = mkdtempSync(join(folder, "shape-"));
  let number = 0;
  for (let file = 0; file < fileCount; file++) {
    let text = "";
    while (text.length < fileBytes) text += make(number++);
    writeFileSync(join(dir, `f-${file}.yaml`), text);
  }
  const cpuSeconds = cpuSecondsOfValidate(dir);
  rmSync(dir, { recursive: true });
  return { fileCount, cpuSeconds };
}

function describe({ name, fileCount, cpuSeconds }) {
  return `${name.padEnd(34)} in ${String(fileCount).padStart(5)} files ${cpuSeconds.toFixed(1).padStart(6)} s of CPU`;
}

/** The program's own CPU time and the system's for it; it may end with problems found. */
function cpuSecondsOfValidate(dir) {
  const { CI: _isKeptNothing, ...env } = process.env;
  const command = '"$@" > /dev/null 2>&1; [ $? -le 1 ] && times';
  const { status, stdout } = spawnSync("sh", ["-c", command, "sh", process.execPath, program, "validate", dir], {
    encoding: "utf8",
    env,
  });
  if (status !== 0) throw new Error("validate ended with neither success nor problems");
  const [, children = ""] = stdout.trim().split("\n");
  return [...children.matchAll(/(\d+)m([\d.]+)s/gu)].reduce(
    (sum, [, min, sec]) => sum + Number(min) * 60 + Number(sec),
    0,
  );
}
