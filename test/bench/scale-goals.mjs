// The goals for ten thousand clusters: which benchmark measures each, and where its output has the value. Used by run.mjs.

const pageNumbers = "test/page/numbers.bench.ts";

/** What is asked, what is wanted, the expression whose group is the value, and its unit; by the file of the benchmark. */
const measured = {
  "scale.bench.ts": [
    ["One label: objects that planning visits", "at most 3", /by planning .* seen (\S+)/u],
    ["One label: files parsed", "1", /files parsed .* seen (\S+)/u],
    ["Restart: writes", "0", /restart: writes of the daemon's run .* seen (\S+)/u],
    ["A status commit", "300 ms", /for the status commit .* seen (\S+)/u, "ms"],
    ["The first status commit, hub in the same process", "2000 ms", /first status commit: .* seen (\S+)/u, "ms"],
  ],
  "daemon-alone.bench.ts": [
    ["One label: CPU of the daemon, mean", "30 ms", /^pushes .*cpuMsEach=(\S+)/mu, "ms"],
    ["One label: CPU of the daemon, median", "30 ms", /^pushes .*cpuMsMedian=(\S+)/mu, "ms"],
    ["One label: from the push until the run ends, p99", "250 ms", /^pushes .*msUntilRunEndsP99=(\S+)/mu, "ms"],
    ["The first status commit, hub in another process", "2000 ms", /^first status commit ms=(\S+)/mu, "ms"],
    ["A status commit: new objects", "1000 kB", /^status commit .*kB=(\S+)/mu, "kB"],
    ["plan of one label against the hub: CPU", "1 s", /^plan .*cpuSeconds=(\S+)/mu, "s"],
    ["Restart: until a new commit is on the hub", "5 s", /^restart .*secondsUntilOnHub=(\S+)/mu, "s"],
  ],
  "clusters.bench.ts": [["5,000 new Clusters: time by that of a bare loop", "1.15", /^median .*ratioOfAll=(\S+)/mu]],
  "kubefleet.bench.ts": [
    [
      "1,000 KubeFleet members: the daemon, of a core",
      "93 thousandths",
      /^beats .*daemonMillicores=(\S+)/mu,
      "thousandths",
    ],
    ["1,000 KubeFleet members: memory of the daemon", "234 MB", /^beats .*daemonMB=(\S+)/mu, "MB"],
  ],
  "agents.bench.ts": [
    ["1,000 agents join at once, on the last hub above", "60 s", /[^]*allJoinedSeconds=(\S+)/u, "s"],
    ["1,000 agents join at once: most calls of one", "16", /[^]*mostCalls=(\S+)/u],
  ],
  "living.bench.ts": [
    ["1,000 agents at rest: the daemon, cores", "0.2 with 10,000", /^at rest .*daemonCores=(\S+)/mu],
    ["1,000 agents at rest: memory, from start to end", "500 with 10,000", /^at rest .*daemonMB=(\S+)/mu, "MB"],
    ["Two minutes after an outage: not Healthy", "0", /^outage .*notHealthyThen=(\S+)/mu],
    ["Two minutes after an outage: most calls of an agent", "bounded", /^outage .*mostCallsOfAnAgent=(\S+)/mu],
    ["Failover, the Lease of 15 s included: first run", "25 s", /^failover .*secondsUntilRunEnds=(\S+)/mu, "s"],
  ],
  "validate.mjs": [
    ["validate 10,000 files: CPU", "half of the next", /^validate, simple files .* (\d+) ms of CPU/mu, "ms"],
    ["kubeconform (KUBECONFORM=PATH): CPU", "", /^kubeconform.* (\d+) ms of CPU/mu, "ms"],
    ["validate --changed-since, one file: CPU", "500 ms", /^validate --changed.* (\d+) ms of CPU/mu, "ms"],
    ["plan --offline of one file: CPU", "500 ms", /^plan --offline of that commit .* (\d+) ms of CPU/mu, "ms"],
  ],
  "status-history.bench.ts": [["A year of status commits: most CPU of a look", "", /mostCpuMsOfALook=(\S+)/u, "ms"]],
  [pageNumbers]: [
    ["The page: first paint", "1 s", /^first contentful paint: (\d+)/mu, "ms"],
    ["The page: a filter", "50 ms", /^filter, .*: (\d+)/mu, "ms"],
    ["The page: until a change is seen", "1 s", /^a change is shown after: (\d+)/mu, "ms"],
    ["The page: share of a core at 100 changes a second", "3 %", /^server and test at .*: (\S+)/mu, "%"],
  ],
  "up.bench.mjs": [["Memory of an agent", "45 MB", /agents (\d+)/u, "MB"]],
};

/** What no benchmark measures, and the page that has an answer. */
const unmeasured = [
  ["10,000 agents for 30 minutes", "0.2 cores, 500 MB", "3,000 for ten, in docs/measurements.md"],
  ["Joins beside the controllers of the others: CPU", "0.6, 0.8, 0.8", "by hand, in docs/benchmarks.md"],
  ["100,000 clusters", "on paper", "docs/scale.md"],
];

/** The files of the benchmarks, in this folder or from the root. */
export const scaleBenches = Object.keys(measured);

/** A line for each goal. `outputs`: what the benchmarks printed, by file. */
export function scaleTable(outputs) {
  const seen = Object.entries(measured).flatMap(([bench, goals]) =>
    goals.map(([question, wanted, expression, unit = ""]) => {
      const value = expression.exec(outputs.get(bench) ?? "")?.[1];
      return [question, wanted, value === undefined ? `not measured, see above: ${bench}` : `${value} ${unit}`];
    }),
  );
  return [...seen, ...unmeasured].map(([question, wanted, answer]) =>
    `${question.padEnd(52)} wanted ${wanted.padEnd(18)} seen ${answer}`.trimEnd(),
  );
}
