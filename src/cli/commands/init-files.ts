/** The line by which editors find the schema of a file. */
export const schemaLine =
  "# yaml-language-server: $schema=https://rollcall.dev/schemas/v1alpha1/rollcall.schema.json\n";

/** The files of a first repository, by path. `rollcall validate` accepts them as they are. */
export function firstFiles(workspace: string): ReadonlyMap<string, string> {
  return new Map([
    ["README.md", readme(workspace)],
    [
      ".rollcallignore",
      "# What Rollcall does not read, by the rules of .gitignore.\n/.github/\n/.gitlab-ci.yml\n/docs/\n",
    ],
    [".vscode/extensions.json", `{\n  "recommendations": ["redhat.vscode-yaml"]\n}\n`],
    [".vscode/settings.json", editorSettings],
    ["clusters/by-kubeconfig.yaml", byKubeconfig(workspace)],
    ["clusters/by-token.yaml", byToken(workspace)],
    ["tokens/first.yaml", token(workspace)],
  ]);
}

const editorSettings = `{
  "yaml.schemas": {
    "https://rollcall.dev/schemas/v1alpha1/rollcall.schema.json": ["clusters/**/*.yaml", "tokens/**/*.yaml"]
  },
  "yaml.validate": true,
  "yaml.completion": true
}
`;

function byKubeconfig(workspace: string): string {
  return `${schemaLine}# A cluster that the hub can reach: the hub installs the agent, and removes it when this file goes.
# The Secret is in namespace ${workspace} of the hub, the kubeconfig under its key \`value\`; the kubeconfig must be
# self-contained (no exec, no files). \`rollcall add cluster NAME\` makes one, and a file like this, from your kube context.
apiVersion: rollcall.dev/v1alpha1
kind: Cluster
metadata:
  name: by-kubeconfig
  namespace: ${workspace}
  labels:
    env: dev
spec:
  displayName: An example that the hub installs
  kubeConfigSecretRef:
    name: by-kubeconfig-kubeconfig
`;
}

function byToken(workspace: string): string {
  return `${schemaLine}# A cluster that the hub cannot reach: somebody installs the agent there, with \`rollcall join\` or the chart, and the
# values of a token that writes out this cluster's name (tokens/first.yaml). When this file goes, the agent stays behind
# without credentials, unless deletionPolicy says Uninstall.
apiVersion: rollcall.dev/v1alpha1
kind: Cluster
metadata:
  name: by-token
  namespace: ${workspace}
  labels:
    env: dev
spec:
  displayName: An example that joins by a token
`;
}

function token(workspace: string): string {
  return `${schemaLine}# A door. The hub answers with a Secret of the same name in namespace ${workspace}; its key \`values\` is what an agent is
# installed with. Delete the file, and the door is shut within 15 seconds; clusters that came in stay.
apiVersion: rollcall.dev/v1alpha1
kind: ClusterRegistrationToken
metadata:
  name: first
  namespace: ${workspace}
spec:
  # How long it is open; without it, until the file goes.
  ttl: 240h
  # Who may come in. A name that is written out may also be claimed when its Cluster file exists; a pattern only makes new ones.
  clusterNames:
    - by-token
    - edge-*
  clusterLabels:
    env: edge
  # Labels that an agent may choose itself.
  agentLabels:
    - site
`;
}

function readme(workspace: string): string {
  return `# Our fleet

This repository says which Kubernetes clusters we have. Rollcall makes the hub and the agents match it; what is changed by hand
on the hub is put back. Everything here lives in the workspace \`${workspace}\`, a namespace of the hub with the label
\`rollcall.dev/workspace\`.

| folder      | what is in it                                 |
| ----------- | --------------------------------------------- |
| \`clusters/\` | one file a cluster; one example a way to join |
| \`tokens/\`   | doors for clusters that bring their own agent |

Folders are for people: Rollcall goes by \`kind\` and \`metadata\`.

## First steps

1. Delete the examples that you do not need, or make them yours.
2. \`rollcall add cluster NAME --age-recipient age1...\` adds the cluster of your kube context; \`rollcall add token NAME\` a door.
3. \`rollcall validate .\` checks the files, \`rollcall plan\` says what the hub would change. Commit and push.
4. \`rollcall status\` shows the fleet; the branch \`rollcall/status\` shows it to everybody who can read the repository.

Kubeconfigs and tokens never go into git in plain text.
`;
}
