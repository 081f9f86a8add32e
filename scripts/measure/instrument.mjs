// Rewrites src/ for one test run: each place that names a field asks first whether the field is left out.
import MagicString from "magic-string";

/** A plugin for Vite. Production code does not know it. */
export function instrument(root, sites) {
  return {
    name: "measure-fields",
    enforce: "pre",
    transform(code, id) {
      const path = id.replace(/\?.*$/u, "");
      const found = sites.get(path) ?? [];
      const changes = hooks.filter(({ file }) => path === `${root}/${file}`);
      if (found.length === 0 && changes.length === 0) return undefined;
      const text = new MagicString(code);
      const starts = new Set(found.filter(({ kind }) => kind === "access").map(({ start }) => start));
      for (const site of found) write(text, site, starts);
      for (const { file, from, to } of changes) {
        const at = code.indexOf(from);
        if (at < 0) throw new Error(`${file} has no ${from}`);
        text.overwrite(at, at + from.length, to);
      }
      return { code: text.toString(), map: text.generateMap({ hires: true }) };
    },
  };
}

/**
 * Options, documents and values of charts are read in one place each; objects of the hub by path, and where they come from
 * it or go there. The program as a process of its own gets less of its command line.
 */
const hooks = [
  {
    file: "test/support/rollcall-process.ts",
    from: "  return followProcess(\n    spawn(process.execPath, [entry, ...args], {",
    to: "  args = __args(args);\n  return followProcess(\n    spawn(process.execPath, [entry, ...args], {",
  },
  {
    file: "test/support/run-program.ts",
    from: "  const child = spawn(process.execPath, [...profiling, entry, ...args], {",
    to: "  args = __args(args);\n  const child = spawn(process.execPath, [...profiling, entry, ...args], {",
  },
  {
    file: "src/kube/parse-objects.ts",
    from: "return { apiVersion: apiVersionOf(type), kind: type.kind, ...item } as unknown as KubeObject;",
    to: "return __document({ apiVersion: apiVersionOf(type), kind: type.kind, ...item });",
  },
  {
    file: "src/kube/parse-objects.ts",
    from: "return { ...parsed, metadata } as unknown as KubeObject;",
    to: "return __document({ ...parsed, metadata });",
  },
  ...["create(object, writeOptions)", "update(object, { subresource, ...writeOptions })"].map(sent),
  sent("apply(object, { isForced = true, subresource, signal, ...writeOptions })"),
  {
    file: "src/kube/kube-api.ts",
    from: "async mergePatch(ref, patch, { subresource, signal, ...writeOptions }) {",
    to: "async mergePatch(ref, patch, { subresource, signal, ...writeOptions }) { patch = __patch(ref.type, patch);",
  },
  {
    file: "test/support/helm.ts",
    from: "): Promise<KubeObject[]> {",
    to: "): Promise<KubeObject[]> { await __values(chart, valuesFile);",
  },
  {
    file: "src/settings/settings.ts",
    from: "(option) => readSetting(option, { given, environment, file })",
    to: "(option) => readSetting(option, __isOption(command, flagOf(option)) ? { given: {}, environment: {}, file: {} } : { given, environment, file })",
  },
  {
    file: "src/manifests/read-document.ts",
    from: "if (isJsonObject(value)) return readMap(value, document.findings, checks);",
    to: "if (isJsonObject(value)) return readMap(__document(value), document.findings, checks);",
  },
  {
    file: "src/cli/render/render-objects.ts",
    from: "return objects.map((object) => [",
    to: "return objects.map((object) => __document(object)).map((object) => [",
  },
  {
    file: "src/cli/render/render-objects.ts",
    from: "objects.map(withoutManagers)",
    to: "objects.map((object) => withoutManagers(__document(object)))",
  },
  {
    file: "src/cli/render/render-objects.ts",
    from: "withoutManagers(first) :",
    to: "withoutManagers(__document(first)) :",
  },
  {
    file: "src/planning/review-plan.ts",
    from: "export function reviewPlan(inputs: ReviewInputs): PlanReport {",
    to: "export function reviewPlan(inputs) { return __document(wholeReport(inputs)); }\nfunction wholeReport(inputs) {",
  },
  {
    file: "src/reconcile/repository-status.ts",
    from: "export function computeRepositoryStatus(repository: Repository, result: RunResult, nowMs: number): RepositoryStatus {",
    to: "export function computeRepositoryStatus(...inputs) { return __document({ apiVersion: 'rollcall.dev/v1alpha1', kind: 'Repository', status: wholeStatus(...inputs) }).status; }\nfunction wholeStatus(repository, result, nowMs) {",
  },
  {
    file: "src/core/read-json.ts",
    from: "let current = value;",
    to: "let current = __document(value);",
  },
  { file: "src/planning/render-status.ts", from: "writeYaml(record)", to: "writeYaml(__document(record))" },
];

function sent(signature) {
  const from = `async ${signature} {`;
  return { file: "src/kube/kube-api.ts", from, to: `${from} object = __document(object);` };
}

function write(text, site, starts) {
  const numbers = JSON.stringify(site.numbers);
  const key = `[__key(${numbers}, ${JSON.stringify(site.name)})]`;
  switch (site.kind) {
    case "object":
      text.prependRight(site.start, "__document(");
      text.appendLeft(site.end, ")");
      return;
    case "word":
      text.prependRight(site.start, `__word(${numbers}, `);
      text.appendLeft(site.end, ")");
      return;
    case "name":
      text.prependRight(site.start, `[__word(${numbers}, `);
      text.appendLeft(site.end, ")]");
      return;
    case "access":
      text.overwrite(site.start, site.end, site.isOptional ? `?.${key}` : key);
      if (!site.isRead) return;
      text.prependRight(site.whole, `__below(${numbers}, `);
      text.appendLeft(site.end, continuation(site, starts));
      return;
    case "pattern":
      text.prependRight(site.start, `__pattern(${JSON.stringify(site.parts)}, `);
      text.appendLeft(site.end, ")");
      return;
    case "binding":
      text.overwrite(site.start, site.end, site.isShort ? `${key}: ${site.name}` : key);
      return;
    case "literal":
      text.overwrite(site.start, site.end, site.isShort ? `${key}: __below(${numbers}, ${site.name})` : key);
      if (site.value === undefined) return;
      text.prependRight(site.value[0], `__below(${numbers}, `);
      text.appendLeft(site.value[1], ")");
  }
}

/** What stops at a missing value still stops there. */
function continuation({ end, continued }, starts) {
  if (continued === undefined) return ")";
  return continued === "." && !starts.has(end) ? ")?" : ")?.";
}
