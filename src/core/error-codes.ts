/**
 * What the caller may do about a failure.
 * - `stalled`: nothing changes until a person changes something.
 * - `waiting`: another party must act first; retry when it may have.
 * - `transient`: try again with back-off.
 * - `bug`: this program is wrong.
 */
export type Recovery = "stalled" | "waiting" | "transient" | "bug";

interface CodeEntry {
  /** The failure, as a title. */
  readonly title: string;
  /** What a person does about it. */
  readonly remedy: string;
  readonly recovery: Recovery;
}

const ofEqualRules = "Give one of the two rules a higher priority, or make the values equal.";

/**
 * The one table of codes: of thrown errors (`AppError.code`) and of problems in files (`Problem.code`).
 * A test checks that each is used and has its page in docs/errors/. Keep it sorted by code within its area.
 */
export const errorCodes = {
  // Files in the repository
  E_ALIAS: entry("Too many YAML aliases", "Write the values out; aliases may expand to at most 100 nodes."),
  E_BRANCH_LIMIT: entry(
    "The plan of a branch that is not merged costs too much",
    "Make the branch smaller, or list files that declare nothing of the fleet in .rollcallignore.",
  ),
  E_CLUSTER_NAMES: entry(
    "A name or length limit of the join protocol is exceeded",
    "Choose a name within the limit that the message names.",
  ),
  E_DEFAULTS_CONFLICT: entry("Two rules of equal priority give one setting different values", ofEqualRules),
  E_DUPLICATE: entry("Two documents declare the same object", "Delete or rename one of the two documents named."),
  E_ENCODING: entry(
    "The file is not UTF-8 text",
    "Save the file as UTF-8, for example with `iconv -f UTF-16 -t UTF-8 FILE > NEW`.",
  ),
  E_FILE_TOO_LARGE: entry("The file is too large", "Split it: a file may have at most 256 KiB."),
  E_LABEL_CONFLICT: entry("Two rules of equal priority give one key different values", ofEqualRules),
  E_LABEL_RESERVED: entry("The label's prefix is reserved", "Use a prefix of your own, such as example.com/."),
  E_NAMESPACE: entry(
    "The namespace is not a workspace of this repository",
    "Use a workspace that the Repository allows: `kubectl get namespaces -l rollcall.dev/workspace` lists them.",
  ),
  E_NOT_UNIQUE_KEY: entry("A key occurs twice in one map", "Delete one of the two."),
  E_PLAIN_SECRET: entry(
    "A Secret is not encrypted",
    "Encrypt it: `sops encrypt --in-place --encrypted-regex '^(data|stringData)$' --age RECIPIENT FILE`. If it was pushed, replace its values: git keeps the old ones.",
  ),
  E_POLICY: entry(
    "The document breaks a policy of the repository",
    "Change the document as the policy's message states.",
  ),
  E_POLICY_EXPRESSION: entry(
    "The expression of a policy cannot be used",
    "Correct the expression; the message describes the error.",
  ),
  E_REFERENCE: entry("A reference names something that does not exist", "Create what is named, or correct the name."),
  E_REFERENCE_OUTSIDE: entry("A reference leaves its workspace", "Refer only to objects in the same workspace."),
  E_REPOSITORY_TOO_LARGE: entry(
    "The files of the repository are too large together",
    "Limit them with Repository.spec.paths or .rollcallignore.",
  ),
  E_SCHEMA: entry(
    "The document does not fit its schema",
    "Correct the field that the message names; `rollcall explain KIND.spec` lists the fields and their values.",
  ),
  E_SOPS_FORMAT: entry(
    "An encrypted file is malformed",
    "Take the last good version of the file from git, and change it with `sops edit FILE` only.",
  ),
  E_SOPS_KEY: entry(
    "No available key decrypts the file",
    "Add this repository's key to .sops.yaml and run `sops updatekeys FILE`, or give the daemon the file's key in Repository.spec.decryption.",
  ),
  E_SOPS_MAC: entry(
    "An encrypted file was changed after it was encrypted",
    "Revert the change (`git checkout COMMIT -- FILE`), and make it again with `sops edit FILE`.",
  ),
  E_SOPS_PROGRAM: entry(
    "The encrypted file needs the sops program, which is missing or failed",
    "Encrypt the file with an age key, or install sops where the daemon runs and give it its credentials.",
  ),
  E_SYMLINK: entry(
    "The file is a symbolic link",
    "Replace the link by the file itself: `cp LINK COPY && mv COPY LINK`.",
  ),
  E_TOO_MANY_FILES: entry(
    "The repository has too many files",
    "Limit it with Repository.spec.paths or .rollcallignore.",
  ),
  E_UNKNOWN_FIELD: entry(
    "The field is not known",
    "Correct or delete the field; `rollcall explain KIND --recursive` lists those that there are.",
  ),
  E_UNKNOWN_KIND: entry(
    "The kind or version is not known",
    "Correct apiVersion and kind (`rollcall explain` lists them), or list the file in .rollcallignore.",
  ),
  E_UNSAFE_PATH: entry("The path has an unsafe name", "Rename the file."),
  E_YAML: entry("The file is not valid YAML", "Correct the syntax at the position given."),
  W_EMPTY_SELECTOR: entry("The selector matches no cluster", "Check its labels; nothing else is affected."),
  W_IGNORED_KIND: entry(
    "The kind belongs to an accepted group but is not used here",
    "Nothing to do; list the file in .rollcallignore to silence this.",
  ),
  W_POLICY: entry(
    "The document breaks a policy that only warns",
    "Change the document as the policy's message states.",
  ),
  W_SUPPRESSION: entry(
    "A comment that ignores a problem does not do so rightly",
    "Write # rollcall-ignore CODE: reason on the line of the warning or before it, or delete the comment.",
  ),
  W_YAML_AMBIGUOUS: entry("Other YAML readers would read this value differently", "Put the value in quotes."),

  // Git
  E_GIT_AUTH: entry(
    "The git server refused the credentials",
    "Try `git ls-remote ADDRESS` with the same credential. If that is refused too, renew the token in the Secret of Repository.spec.secretRef or in the file of --git-token-file.",
  ),
  E_GIT_BRANCH_MISSING: entry(
    "The branch does not exist",
    "Push the branch, or correct its name (--branch, Repository.spec.ref.branch). In a clone, fetch it first: `git fetch origin BRANCH:BRANCH`.",
    "waiting",
  ),
  E_GIT_CORRUPT: entry(
    "The local copy of the repository is damaged",
    "Run the command again: it makes a new copy. A daemon does so by itself.",
    "transient",
  ),
  E_GIT_FOLDER: entry(
    "The folder is no git repository",
    "Name the folder of a repository: a clone, or one that `git init` has made.",
  ),
  E_GIT_LOCKED: entry(
    "Another git process holds a lock in the repository",
    "Try again; a daemon does so by itself. If no git process runs there, delete the .lock file that the message names.",
    "transient",
  ),
  E_GIT_OBJECT: entry(
    "A git object is missing or malformed",
    "In a shallow clone, run `git fetch --unshallow` (in CI: fetch-depth: 0). Elsewhere `git fsck` names what is missing: push it from a complete clone.",
  ),
  E_GIT_PROTOCOL: entry(
    "The git server's answer was not understood",
    "Try `git ls-remote ADDRESS`. If that fails too, correct the address: a login page or a proxy may answer there.",
    "transient",
  ),
  E_GIT_PUSH_DENIED: entry(
    "The git server refused the push",
    "Let the credential write to the branch, also in the branch's protection rule. To write no status, set --write-back None.",
  ),
  E_GIT_PUSH_RACE: entry(
    "Another client pushed first",
    "Run the command again; a daemon fetches, redoes and pushes by itself.",
    "transient",
  ),
  E_GIT_REMOTE: entry(
    "The git server could not be reached",
    "Try `git ls-remote ADDRESS` on the same machine. If that fails too, correct the address, the network or HTTPS_PROXY.",
    "transient",
  ),
  E_GIT_URL: entry(
    "The repository's address is not supported",
    "Use https or ssh, or a local path on the command line.",
  ),

  E_UNVERIFIED: entry(
    "What must be signed has no signature of a known key",
    "Push a signed commit on top, with a listed key: `git commit --allow-empty -S`. If the status branch is named: reset it to a commit of the daemon.",
    "waiting",
  ),

  // Forge
  E_FORGE_AUTH: entry(
    "The forge does not accept the token",
    "Put a new token of the forge into the Secret of Repository.spec.forge.secretRef, or in CI into ROLLCALL_FORGE_TOKEN.",
  ),
  E_FORGE_FORBIDDEN: entry(
    "The token may not do this at the forge",
    "Give the token the rights that docs/forges.md names, and its account access to the repository.",
  ),
  E_FORGE_NOT_FOUND: entry(
    "The forge does not know the repository, commit or pull request",
    "Check the repository's address; forges also report this if the token cannot read a private repository.",
  ),
  E_FORGE_PROTOCOL: entry(
    "The forge's answer was not understood",
    "Check that apiURL is the address of the forge's API.",
  ),
  E_FORGE_REFUSED: entry("The forge refuses the request", "Read the forge's reason in the message."),
  E_FORGE_SERVER: entry("The forge failed", "Try again later; a daemon does so by itself.", "transient"),
  E_FORGE_THROTTLED: entry(
    "The forge limits the rate of requests",
    "Wait some minutes and try again; a daemon does so by itself. If it persists, give Rollcall a token of its own.",
    "transient",
  ),
  E_FORGE_UNREACHABLE: entry(
    "The forge could not be reached",
    "Try `curl --head ADDRESS` on the same machine. If that fails too, correct apiURL, the network or HTTPS_PROXY.",
    "transient",
  ),
  E_FORGE_URL: entry(
    "The forge's address cannot be used",
    "Give an https address in Repository.spec.forge.apiURL, and a token of its own if it is another host than the repository's.",
  ),

  // Kubernetes
  E_KUBE_CONFLICT: entry(
    "The object changed meanwhile",
    "Run the command again; a daemon does so by itself.",
    "transient",
  ),
  E_KUBE_DEFINITION: entry(
    "A definition on the hub is of another version",
    "Upgrade the chart, or start once with --install-crds; where the hub's is newer, upgrade this program.",
  ),
  E_KUBE_EXISTS: entry(
    "The object exists already",
    "Check the object that the message names: another program may have made it. A daemon compares it by itself.",
    "transient",
  ),
  E_KUBE_FORBIDDEN: entry(
    "The API server forbids the request",
    "Give the account the right that the message names. `rollcall check` lists every right that a daemon lacks.",
  ),
  E_KUBE_GONE: entry(
    "The resource version is too old",
    "Run the command again; a daemon does so by itself.",
    "transient",
  ),
  E_KUBE_INVALID: entry("The API server refuses the object", "Correct the field that the message names."),
  E_KUBE_NOT_FOUND: entry(
    "The object or its resource does not exist",
    "Check name and namespace: `rollcall get KIND` lists them. If the kind is missing, install the chart, or start `rollcall run --install-crds`.",
    "waiting",
  ),
  E_KUBE_SERVER: entry(
    "The API server failed",
    "Try again; a daemon does so by itself. If it persists, check the API server's log.",
    "transient",
  ),
  E_KUBE_THROTTLED: entry(
    "The API server asks to slow down",
    "Wait a minute and try again; a daemon does so by itself.",
    "transient",
  ),
  E_KUBE_TLS: entry(
    "The API server's certificate is not trusted",
    "Correct the server or its certificate-authority-data in the kubeconfig; `kubectl --kubeconfig FILE get --raw /version` tries it.",
  ),
  E_KUBE_UNAUTHORIZED: entry(
    "The API server does not accept the credential",
    "Renew the credential in the kubeconfig; `kubectl --kubeconfig FILE auth whoami` tries it.",
  ),
  E_KUBE_UNREACHABLE: entry(
    "The API server could not be reached",
    "Try `kubectl --kubeconfig FILE get --raw /version` on the same machine. If that fails too, correct the server, the network or HTTPS_PROXY.",
    "transient",
  ),
  E_KUBECONFIG: entry(
    "The kubeconfig is malformed or not allowed",
    "Correct what the message names, or name another kubeconfig with --kubeconfig or KUBECONFIG. One in git or in a Secret has no exec, files or insecure flags: `rollcall add cluster` makes such a one.",
  ),

  // Fleet
  E_OWNED_ELSEWHERE: entry(
    "The object belongs to another owner",
    'Remove one of the two declarations. If no repository declares it, add the annotation rollcall.dev/adopt: "true" to the file.',
  ),
  E_PROPOSAL_UNREAD: entry(
    "The file of a proposal would not be read",
    "Set Repository.spec.proposals.path to a path that ends with .yaml, that Repository.spec.paths reads and that .rollcallignore does not list.",
  ),
  E_WAIT_TIMEOUT: entry(
    "The time of rollcall wait ended",
    "Read why with `rollcall describe KIND NAME`, or wait longer with --timeout.",
    "waiting",
  ),
  E_APPROVAL: entry(
    "The approval would let no removal through",
    "Read what is withheld, and type the command that the message names.",
  ),
  E_REGISTRATION: entry(
    "The registration was refused",
    "Read the reason in the agent's log, or on the hub: `rollcall get registrations`, `rollcall describe registration NAME`. The agent asks again by itself.",
    "waiting",
  ),
  E_AGENT_VALUES: entry(
    "The agent's values are incomplete",
    "Install the agent with the values of a token's Secret: `rollcall join --from-hub TOKEN --hub-kubeconfig FILE`.",
  ),
  E_HUB_INFO: entry(
    "The hub's info is not signed by the hub that the agent was given",
    "Check hub.url in the agent's values. If the hub lost its trust key, restore it (`rollcall run --restore --trust-key-file FILE`), or install the agents with new values.",
  ),
  E_RENEWAL: entry("The hub did not answer a request for a credential", "The agent asks again by itself.", "transient"),
  E_SEALED: entry("A sealed answer could not be opened", "The agent asks again with its own keys.", "transient"),

  // Program
  E_ACCESS: entry(
    "The system refuses a file or folder",
    "Choose another folder, or let this user read and write what the message names.",
  ),
  E_BUG: entry("The program did something it must not", "Report it with the message.", "bug"),
  E_DISK_WRITE: entry(
    "The disk does not take what is written",
    "Free space on the disk that the message names, or let the process write there. A daemon then continues.",
    "waiting",
  ),
  E_DIR_LOCKED: entry(
    "Another process uses the folder",
    "Stop that process, or choose another folder: --dir, or --cache-dir for copies of repositories.",
  ),
  E_OTHER_DAEMON: entry(
    "Another daemon leads",
    "Let that daemon apply the commit (`rollcall reconcile`), or stop it first.",
    "waiting",
  ),
  E_INSTALLATION: entry(
    "A part of the program is missing",
    "Run `npm ci` in a checkout, or install the package again.",
  ),
  E_PAGE_SERVER: entry(
    "The page of a daemon did not answer as expected",
    "Check the address of --server, that the daemon serves its page there, and the token.",
    "transient",
  ),
  E_PORT_BUSY: entry(
    "A port cannot be used",
    "Stop the process that uses the port (`lsof -i :PORT` names it), or choose another one (--port, --hub-port).",
  ),
  E_READ: entry(
    "A file or folder cannot be read",
    "Correct the path, or let this user read it: `ls -ld PATH` shows its owner and rights.",
  ),
  E_STORE_DAMAGED: entry(
    "The hub's store is damaged",
    "Start a new fleet in another folder with --dir. To keep this one, move its folder hub away, and start `rollcall up --restore --trust-key-file FILE` with a file of `rollcall backup`.",
  ),
  E_STORE_VERSION: entry(
    "A newer version wrote this data",
    "Start the version that wrote it, or a newer one. Nothing was changed.",
  ),
  E_UNSUPPORTED: entry("This is not supported", "Follow the advice in the message."),
  E_USAGE: entry("The command was used wrongly", "Run it with --help."),
} as const satisfies Record<string, CodeEntry>;

export type ErrorCode = keyof typeof errorCodes;

function entry(title: string, remedy: string, recovery: Recovery = "stalled"): CodeEntry {
  return { title, remedy, recovery };
}
