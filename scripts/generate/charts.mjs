// What the charts have that is declared elsewhere: definitions, rights, the agent's objects, and the schema of the values.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { toStrictSchema } from "./strict-schemas.mjs";
import { importTypeScript } from "./import-typescript.mjs";

const hubChart = "deploy/charts/rollcall";
const agentChart = "deploy/charts/rollcall-agent";

/** Options of `rollcall run` that the chart sets from values of its own, or that make no sense in a Pod. */
const setByChart = new Set([
  "config",
  "print-config",
  "kubeconfig",
  "context",
  "namespace",
  "workspaces",
  "once",
  "install-crds",
  "hub-url",
  "hub-ca-file",
  "git-token-file",
  "git-ca-file",
  "git-ssh-key-file",
  "git-known-hosts-file",
  "cache-dir",
  "leader-election",
  "identity",
  "metrics-address",
  "publish-cluster-profiles",
  "publish-argocd",
  "publish-flux",
]);

/** Text by path of every generated file of the charts, and of docs/rbac.md. */
export async function renderCharts({ root, crds, foreignCrds, kinds, fragments, notice }) {
  const outputs = new Map();
  for (const crd of crds) {
    outputs.set(
      `${hubChart}/files/crds/${crd.spec.names.plural}.yaml`,
      `# ${notice}\n${stringify(kept(crd), { lineWidth: 0 })}`,
    );
  }
  for (const [project, objects] of await protocolObjects(root, foreignCrds)) {
    outputs.set(`${hubChart}/files/protocols/${project}.json`, json(objects.map(kept)));
  }
  const { hubEditPolicy } = await importTypeScript(join(root, "src"), "model/hub-edit-policy.ts");
  const { hubWriterGuard, hubWriterPolicy } = await importTypeScript(join(root, "src"), "model/hub-writer-policy.ts");
  const { agentWritesPolicy } = await importTypeScript(join(root, "src"), "model/agent-writes-policy.ts");
  const policies = [...hubEditPolicy, ...hubWriterGuard, ...agentWritesPolicy];
  outputs.set(`${hubChart}/files/hub-policies.json`, json(policies.map(kept)));
  outputs.set(`${hubChart}/files/hub-writer-policy.json`, json(hubWriterPolicy("v1").map(kept)));
  const rights = JSON.parse(readFileSync(join(root, "deploy/rbac.json"), "utf8"));
  outputs.set(`${hubChart}/files/rbac.json`, json(rights));
  outputs.set("docs/rbac.md", rightsPage(rights));
  const { optionTable } = await importTypeScript(join(root, "src"), "settings/options.ts");
  const { settingName } = await importTypeScript(join(root, "src"), "settings/option-entry.ts");
  outputs.set(`${hubChart}/values.schema.json`, json(hubValues(optionTable, settingName)));
  const { renderManifest } = await importTypeScript(join(root, "src"), "join/rollcall/manifests/agent-manifest.ts");
  const { objects } = renderManifest({ namespace: "@NAMESPACE@", image: "", settings: {}, deadlineSeconds: 600 });
  outputs.set(`${agentChart}/files/objects.json`, json(objects));
  const cluster = kinds.find(({ title }) => title === "Cluster");
  const { namespace: _namespace, ...settings } = toStrictSchema(cluster, fragments).properties.spec.properties.agent
    .properties;
  outputs.set(`${agentChart}/values.schema.json`, json(agentValues(forValues(settings))));
  return outputs;
}

/** What the agents of each other project need on a hub, as the daemon itself would make it. */
async function protocolObjects(root, foreignCrds) {
  const dialects = join(root, "src");
  const { fleetHubObjects, fleetClusterPolicy } = await importTypeScript(
    dialects,
    "model/dialects/fleet-hub-objects.ts",
  );
  const { kubefleetHubObjects } = await importTypeScript(dialects, "model/dialects/kubefleet-hub-objects.ts");
  const { clusternetHubObjects } = await importTypeScript(dialects, "model/dialects/clusternet-hub-objects.ts");
  const definitions = (project) => foreignCrds.get(project) ?? [];
  const isForMembers = ({ metadata }) => metadata.name.startsWith("appliedworks.");
  return new Map([
    ["fleet", [...definitions("fleet"), ...fleetHubObjects]],
    ["fleet-external", fleetClusterPolicy],
    ["kubefleet", [...definitions("kubefleet").filter((crd) => !isForMembers(crd)), ...kubefleetHubObjects]],
    ["clusternet", [...definitions("clusternet"), ...clusternetHubObjects]],
  ]);
}

/** It stays when the chart is uninstalled: with a definition every object of it would go. */
function kept(object) {
  const annotations = { "helm.sh/resource-policy": "keep" };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

const ports = { type: "array", uniqueItems: true, items: { type: "integer", minimum: 1, maximum: 65_535 } };

function hubValues(optionTable, settingName) {
  const options = optionTable
    .filter(({ name, commands }) => commands.includes("run") && !setByChart.has(name))
    .map((option) => [settingName(option.name), optionSchema(option)]);
  const text = { type: "string" };
  const flag = { type: "boolean" };
  const map = { type: "object" };
  const texts = { type: "object", additionalProperties: text };
  const list = { type: "array", items: map };
  const size = {
    type: "string",
    pattern: "^(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:[kMGTPE]|[KMGTPE]i|[eE][+]?[0-9]+)?$",
  };
  return closed({
    options: { ...closed(Object.fromEntries(options)), required: ["repo"] },
    workspaces: {
      type: "array",
      minItems: 1,
      uniqueItems: true,
      description: 'Namespaces of clusters and tokens. "*": every namespace, by a ClusterRole.',
      items: { type: "string", pattern: "^(?:\\*|[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)$" },
    },
    createWorkspaces: flag,
    hub: closed({
      url: { type: "string", pattern: "^(?:|https://.+)$", description: "What agents dial." },
      caBundle: { type: "string", pattern: "^(?:|\\s*-----BEGIN CERTIFICATE-----[\\s\\S]+)$" },
    }),
    git: closed({ secretName: text, hasCa: flag, hasSsh: flag }),
    readSecrets: {
      type: "array",
      uniqueItems: true,
      description: "Secrets of the daemon's namespace that Repositories name; it may read these.",
      items: { type: "string", minLength: 1 },
    },
    crds: closed({ install: flag }),
    publicInfo: closed({ create: flag }),
    publish: closed({ clusterProfiles: flag, argocd: text, flux: text, lookForUsers: flag }),
    image: closed({
      repository: { type: "string", minLength: 1 },
      tag: text,
      digest: { type: "string", pattern: "^(?:|sha256:[0-9a-f]{64})$" },
      pullPolicy: { enum: ["Always", "IfNotPresent", "Never"] },
    }),
    imagePullSecrets: list,
    replicas: { type: "integer", minimum: 1 },
    resources: map,
    nodeSelector: texts,
    tolerations: list,
    affinity: map,
    priorityClassName: text,
    podLabels: texts,
    podAnnotations: texts,
    env: list,
    serviceAccount: closed({ annotations: texts }),
    podDisruptionBudget: closed({ create: flag }),
    service: closed({ port: { type: "integer", minimum: 1, maximum: 65_535 } }),
    page: closed({
      host: text,
      ingress: closed({ create: flag, className: text, annotations: texts, tlsSecretName: text }),
      httpRoute: closed({ create: flag, parentRefs: list }),
      backend: closed({ name: text, port: { type: "integer", minimum: 1, maximum: 65_535 } }),
    }),
    serviceMonitor: closed({ create: flag, interval: text, labels: texts }),
    networkPolicy: closed({ create: flag, from: list, pageFrom: list, egressPorts: ports, extraEgress: list }),
    cache: closed({ sizeLimit: size }),
    tmp: closed({ sizeLimit: size }),
    global: map,
  });
}

/** A Go duration, or nothing: no text that the daemon takes is refused. */
const duration = "^(?:\\+?(?:[0-9]*[.]?[0-9]*(?:h|m|s|ms|us|µs|μs|ns))+|\\+?0)?$";

/** One option of the command line as a value: text, so that an empty one means the default. */
function optionSchema({ name, kind, choices, value, description }) {
  switch (kind) {
    case "count":
      return { type: "integer", minimum: 0, description };
    case "switch":
      return { type: "boolean", description };
    case "choice":
      return { enum: ["", ...choices], description };
    default:
      if (value === "duration") return { type: "string", pattern: duration, description };
      return { type: "string", ...(name === "repo" ? { minLength: 1 } : {}), description };
  }
}

function agentValues(settings) {
  const text = { type: "string", minLength: 1 };
  const digest = { type: "string", pattern: "^sha256:[0-9a-f]{64}$" };
  const required = (properties) => ({ ...closed(properties), required: Object.keys(properties) });
  const { version, ...others } = settings;
  return {
    ...closed({
      hub: {
        ...closed({
          url: { type: "string", pattern: "^https://.+" },
          caBundle: { type: "string" },
          id: digest,
          trustKey: digest,
          trustKeyNumber: { type: "integer", minimum: 1 },
        }),
        required: ["url", "caBundle", "id"],
      },
      workspace: text,
      token: required({ name: text, credential: text, proofKey: { ...text, pattern: "^[A-Za-z0-9+/]{43,}=*$" } }),
      cluster: closed({
        name: { type: "string" },
        clientID: { type: "string" },
        labels: { type: "object", additionalProperties: { type: "string" } },
      }),
      agent: closed({ ...others, version: { type: "string", description: version.description } }),
      deadlineSeconds: { type: "integer", minimum: 1 },
      createNamespace: { type: "boolean" },
      networkPolicy: closed({ create: { type: "boolean" }, egressPorts: ports }),
      global: { type: "object" },
    }),
    required: ["hub", "workspace", "token"],
  };
}

/** Without the keywords that only an API server knows, and without defaults: those are the program's. */
function forValues(value) {
  if (Array.isArray(value)) return value.map(forValues);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !key.startsWith("x-") && key !== "default" && key !== "examples")
      .map(([key, part]) => [key, forValues(part)]),
  );
}

function closed(properties) {
  return { type: "object", additionalProperties: false, properties };
}

function rightsPage({ scopes }) {
  const sections = Object.values(scopes).map(({ title, kind, rules }) => {
    const rows = rules.map(({ apiGroups, resources, resourceNames = [], verbs, given = [], why }) => {
      const group = apiGroups[0] === "" ? "" : `.${apiGroups[0]}`;
      const named = resourceNames.length > 0 ? ` (${resourceNames.map((name) => `\`${name}\``).join(", ")})` : "";
      const what = resources.map((resource) => `\`${fullName(resource, group)}\``).join(", ");
      const used = verbs.filter((verb) => !given.includes(verb)).join(", ");
      return `| ${what}${named} | ${used} | ${given.join(", ") || "-"} | ${why} |`;
    });
    return [
      `## ${title} (${kind})`,
      "",
      "| what | used | only given on | why |",
      "| --- | --- | --- | --- |",
      ...rows,
      "",
    ];
  });
  return [
    "<!-- Generated by `npm run generate` from deploy/rbac.json. Do not edit. -->",
    "",
    "# What the daemon may do on the hub",
    "",
    "The chart gives these rights and no other; `test/kube/rbac.test.ts` and `test/kube/protocol-rights.test.ts` run the daemon",
    "with them against a real API server and compare the server's audit log with this table: nothing missing, nothing unused. No",
    "wildcard, no Pod, no `escalate`, no `impersonate`, and no `bind` but to the two roles of Fleet's agents. A verb under _only",
    "given on_ is one that the daemon never calls: it must hold it to be allowed to give it to an agent's account.",
    "",
    "Agents of other projects live in a namespace each: who serves them may make namespaces, and roles in all of them. That is as",
    "much as cluster-admin; give such a hub to the fleet alone.",
    "",
    'With `workspaces: ["*"]` the rights of a workspace hold in every namespace. This equals cluster-admin: an account that',
    "may issue tokens for any account has the rights of every account.",
    "",
    ...sections.flat(),
  ].join("\n");
}

function fullName(resource, group) {
  const [plural, sub] = resource.split("/");
  return `${plural}${group}${sub === undefined ? "" : `/${sub}`}`;
}

function json(value) {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
