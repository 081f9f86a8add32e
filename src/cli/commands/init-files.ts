import { stringify } from "yaml";
import { quotedForAll } from "../../core/yaml/quoted-for-all.ts";
import { editorSchemaPath, editorSchemaText, publishedSchema } from "../../manifests/editor-schema.ts";

/** The first line of a file one folder below the repository: editors find the schema of the file by it. */
export const localSchemaLine = `# yaml-language-server: $schema=../${editorSchemaPath}\n`;
/** The same for a repository that does not have the schema. */
export const schemaLine = `# yaml-language-server: $schema=${publishedSchema}\n`;

/** The files of a first repository, by path. `rollcall validate` accepts them as they are. */
export function firstFiles(workspace: string): ReadonlyMap<string, string> {
  return new Map([
    ...settingsFiles(readme(workspace, examples)),
    ["clusters/by-kubeconfig.yaml", byKubeconfig(workspace)],
    ["clusters/by-token.yaml", byToken(workspace)],
    ["tokens/first.yaml", token(workspace)],
  ]);
}

/** The same without examples, for a repository that a hub follows: each example would become an object there. */
export function startFiles(workspace: string): ReadonlyMap<string, string> {
  return new Map(settingsFiles(readme(workspace, withoutExamples)));
}

function settingsFiles(readmeText: string): [string, string][] {
  return [
    ["README.md", readmeText],
    [
      ".rollcallignore",
      "# What Rollcall does not read, by the rules of .gitignore.\n/.github/\n/.gitlab-ci.yml\n/docs/\n",
    ],
    [".vscode/extensions.json", `{\n  "recommendations": ["redhat.vscode-yaml"]\n}\n`],
    [editorSchemaPath, editorSchemaText()],
    [".vscode/settings.json", editorSettings],
  ];
}

const editorSettings = `{
  "yaml.schemas": {
    "./${editorSchemaPath}": ["clusters/**/*.yaml", "tokens/**/*.yaml"]
  },
  "yaml.validate": true,
  "yaml.completion": true
}
`;

/** A name of digits, such as that of a customer, is a number without quotes. */
function asYaml(text: string): string {
  return stringify(text, quotedForAll).trimEnd();
}

function byKubeconfig(workspace: string): string {
  return `${localSchemaLine}# A cluster that the hub can reach: the hub installs the agent, and uninstalls it if this file is deleted.
# The Secret is in namespace ${workspace} of the hub, the kubeconfig under its key \`value\`; the kubeconfig must be
# self-contained (no exec, no files). \`rollcall add cluster NAME\` makes one, and a file like this, from your kube context.
apiVersion: rollcall.dev/v1alpha1
kind: Cluster
metadata:
  name: by-kubeconfig
  namespace: ${asYaml(workspace)}
  labels:
    env: dev
spec:
  displayName: An example that the hub installs
  kubeConfigSecretRef:
    name: by-kubeconfig-kubeconfig
`;
}

function byToken(workspace: string): string {
  return `${localSchemaLine}# A cluster that the hub cannot reach. Install the agent there, with \`rollcall join\` or the chart, and the values of a
# token that names this cluster (tokens/first.yaml). If this file is deleted, the agent stays on the cluster without
# credentials, unless deletionPolicy is Uninstall.
apiVersion: rollcall.dev/v1alpha1
kind: Cluster
metadata:
  name: by-token
  namespace: ${asYaml(workspace)}
  labels:
    env: dev
spec:
  displayName: An example that joins by a token
`;
}

function token(workspace: string): string {
  return `${localSchemaLine}# A registration token. The hub creates a Secret of the same name in namespace ${workspace}; its key \`values\` has the values
# that an agent is installed with. If this file is deleted, the token ends within 15 seconds. Registered clusters stay.
apiVersion: rollcall.dev/v1alpha1
kind: ClusterRegistrationToken
metadata:
  name: first
  namespace: ${asYaml(workspace)}
spec:
  # How long agents may register; without it, until this file is deleted.
  ttl: 240h
  # Names that agents may register. A full name may also be one of a declared Cluster; a pattern admits new clusters only.
  clusterNames:
    - by-token
    - edge-*
  clusterLabels:
    env: edge
  # Labels that an agent may set.
  agentLabels:
    - site
`;
}

const examples = { clusters: "one file for each cluster; two examples", first: "Delete or edit the examples." };
const withoutExamples = {
  clusters: "one file for each cluster",
  first: "Clone this repository. `rollcall init` writes commented examples into an empty folder.",
};

function readme(workspace: string, { clusters, first }: typeof examples): string {
  return `# Our fleet

This repository declares a fleet of Kubernetes clusters. Rollcall makes the hub and the agents match it, and reverts what is
changed manually on the hub. All files belong to the workspace \`${workspace}\`, a namespace of the hub with the label
\`rollcall.dev/workspace\`.

| folder      | what is in it                                                |
| ----------- | ------------------------------------------------------------ |
| \`clusters/\` | ${clusters.padEnd(60)} |
| \`tokens/\`   | registration tokens for agents that the hub does not install |

The folders are for people: Rollcall reads \`kind\` and \`metadata\`.

## First steps

1. ${first}
2. \`rollcall add cluster NAME --age-recipient age1...\` adds the cluster of your kube context; \`rollcall add token NAME\` adds a registration token.
3. \`rollcall validate .\` checks the files, \`rollcall plan\` shows what the hub would change. Commit and push.
4. \`rollcall status\` shows the fleet; so does the branch \`rollcall/status\`, without access to the hub.

Kubeconfigs and tokens never go into git in plain text.
`;
}
