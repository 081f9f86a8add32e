import type { CommandSummary, PlainContext } from "./command-context.ts";
import type { OptionEntry } from "../../settings/option-entry.ts";
import { flagOf } from "../../settings/option-entry.ts";
import { optionTable } from "../../settings/options.ts";
import { unknownChoice } from "./unknown-choice.ts";

const scripts: Readonly<Record<string, (commands: readonly CommandSummary[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/**
 * `rollcall completion bash|zsh|fish`: prints a script made from the table of options and the list of commands.
 * @throws E_USAGE for another shell
 */
export function runCompletion({ args, commands, stdout }: Pick<PlainContext, "args" | "commands" | "stdout">) {
  const [shell = ""] = args;
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (!script) throw unknownChoice("shell", shell, Object.keys(scripts));
  stdout.write(script(commands.filter(({ isHidden }) => isHidden !== true)));
  return Promise.resolve(0);
}

/** Kinds that `get` lists, as people type them. */
const kinds = ["clusters", "tokens", "groups", "registrations", "reports", "repositories"];
const kindCommands = ["get", "describe"];
/** Commands whose next argument is the name of an object, by its kind. */
const namingCommands = {
  clusters: ["status", "top", "logs", "suspend", "resume", "revoke", "remove cluster"],
  tokens: ["remove token"],
};
/** Commands whose arguments are objects, such as cluster.rollcall.dev/eu-1. */
const objectCommands = ["events", "wait"];
const listObjects = "get clusters -o name";

/** The arguments of the program by which a shell learns names; `kind`: text of the shell. */
function listNames(kind: string): string {
  return `get ${kind} -o 'jsonpath={.items[*].metadata.name}'`;
}

function optionsOf(name: string): readonly OptionEntry[] {
  return optionTable.filter(({ commands }) => commands.some((command) => command === name));
}

/** First words with what may follow: nothing for a command of one word. */
function firstWords(commands: readonly CommandSummary[]): ReadonlyMap<string, readonly string[]> {
  const words = new Map<string, string[]>();
  for (const { name } of commands) {
    const [first = "", second] = name.split(" ");
    words.set(first, [...(words.get(first) ?? []), ...(second === undefined ? [] : [second])]);
  }
  return words;
}

/** How a shell offers words, and what the program prints with these arguments. Without a hub that is nothing. */
interface ShellReplies {
  readonly reply: (words: string) => string;
  readonly replyPrinted: (args: string) => string;
}

/** Lines of a `case` that bash and zsh share. */
function shellCases(commands: readonly CommandSummary[], { reply, replyPrinted }: ShellReplies) {
  const groups = [...firstWords(commands)].filter(([, seconds]) => seconds.length > 0);
  const choices = commands.flatMap(({ name }) =>
    optionsOf(name).flatMap((option) => {
      return option.choices ? [`    "${name} ${flagOf(option)}") ${reply(option.choices.join(" "))}; return ;;`] : [];
    }),
  );
  return {
    first: [...firstWords(commands).keys()].join(" "),
    groups: groups.map(([first]) => first).join("|"),
    seconds: groups.map(([first, seconds]) => `    ${first}) ${reply(seconds.join(" "))}; return ;;`).join("\n"),
    choices: choices.join("\n"),
    names: Object.entries(namingCommands)
      .map(
        ([kind, names]) => `      ${names.map((name) => `"${name}"`).join("|")}) ${replyPrinted(listNames(kind))} ;;`,
      )
      .join("\n"),
    firstArguments: commands
      .flatMap(({ name, choices: words }) => (words ? [`      "${name} ${name}") ${reply(words.join(" "))} ;;`] : []))
      .join("\n"),
    options: commands
      .map(({ name }) => `    "${name}") ${reply([...optionsOf(name).map(flagOf), "--help"].join(" "))} ;;`)
      .join("\n"),
  };
}

function bashScript(commands: readonly CommandSummary[]): string {
  const reply = (words: string) => `COMPREPLY=($(compgen -W "${words}" -- "$current"))`;
  const replyPrinted = (args: string) => `_rollcall_printed ${args}`;
  const cases = shellCases(commands, { reply, replyPrinted });
  return `# bash completion of rollcall: source <(rollcall completion bash)
# compgen would expand what a hub answers, and so would the command line: only names of Kubernetes are offered.
_rollcall_printed() {
  local words word
  read -r -d '' -a words < <(rollcall "$@" 2>/dev/null)
  for word in "\${words[@]}"; do
    if [[ "$word" == "$current"* && "$word" =~ ^[A-Za-z0-9][A-Za-z0-9./-]*$ ]]; then COMPREPLY+=("$word"); fi
  done
}
_rollcall() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" name="\${COMP_WORDS[1]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then ${reply(cases.first)}; return; fi
  if [ "$COMP_CWORD" -eq 2 ]; then case "$name" in
${cases.seconds}
  esac; fi
  case "$name" in ${cases.groups}) name="$name \${COMP_WORDS[2]}" ;; esac
  case "$name $previous" in
    "join --from-hub") ${replyPrinted(listNames("tokens"))}; return ;;
${cases.choices}
  esac
  case "$current $previous" in -*) ;; *" -"*) return ;; *)
    case "$name" in
      ${kindCommands.join("|")}) if [ "$COMP_CWORD" -eq 2 ]; then ${reply(kinds.join(" "))}
        else ${replyPrinted(listNames('"${COMP_WORDS[2]}"'))}; fi ;;
${cases.names}
      ${objectCommands.join("|")}) ${replyPrinted(listObjects)} ;;
    esac
    case "$name $previous" in
${cases.firstArguments}
    esac
    return ;;
  esac
  case "$name" in
${cases.options}
  esac
}
complete -o default -F _rollcall rollcall
`;
}

function zshScript(commands: readonly CommandSummary[]): string {
  const reply = (words: string) => `compadd -- ${words}`;
  const replyPrinted = (args: string) => reply(`$(rollcall ${args} 2>/dev/null)`);
  const cases = shellCases(commands, { reply, replyPrinted });
  return `#compdef rollcall
# zsh completion of rollcall: source <(rollcall completion zsh)
_rollcall() {
  local current="\${words[CURRENT]}" previous="\${words[CURRENT-1]}" name="\${words[2]}"
  if (( CURRENT == 2 )); then ${reply(cases.first)}; return; fi
  if (( CURRENT == 3 )); then case "$name" in
${cases.seconds}
  esac; fi
  case "$name" in ${cases.groups}) name="$name \${words[3]}" ;; esac
  case "$name $previous" in
    "join --from-hub") ${replyPrinted(listNames("tokens"))}; return ;;
${cases.choices}
  esac
  case "$current $previous" in -*) ;; *" -"*) _files; return ;; *)
    case "$name" in
      ${kindCommands.join("|")}) if (( CURRENT == 3 )); then ${reply(kinds.join(" "))}
        else ${replyPrinted(listNames('"${words[3]}"'))}; fi ;;
${cases.names}
      ${objectCommands.join("|")}) ${replyPrinted(listObjects)} ;;
      *) case "$name $previous" in
${cases.firstArguments}
      *) _files ;;
      esac ;;
    esac
    return ;;
  esac
  case "$name" in
${cases.options}
  esac
}
compdef _rollcall rollcall
`;
}

function fishScript(commands: readonly CommandSummary[]): string {
  const lines = ["# fish completion of rollcall: rollcall completion fish | source"];
  const add = (condition: string, rest: string) =>
    lines.push(`complete -c rollcall -n ${quoteFish(condition)} ${rest}`);
  for (const [first, seconds] of firstWords(commands)) {
    const summary = commands.find(({ name }) => name === first)?.summary ?? seconds.join(", ");
    add("__fish_use_subcommand", `-f -a ${first} -d ${quoteFish(summary)}`);
    if (seconds.length === 0) continue;
    const isOpen = `__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${seconds.join(" ")}`;
    add(isOpen, `-f -a ${quoteFish(seconds.join(" "))}`);
  }
  for (const { name, choices } of commands) {
    if (choices === undefined) continue;
    const words = choices.join(" ");
    add(`${conditionOf(name)}; and not __fish_seen_subcommand_from ${words}`, `-f -a ${quoteFish(words)}`);
  }
  for (const name of kindCommands) {
    const words = `__fish_seen_subcommand_from ${name}; and test (count (commandline -opc))`;
    add(`${words} -eq 2`, `-f -a ${quoteFish(kinds.join(" "))}`);
    add(`${words} -gt 2`, `-f -a ${quoteFish(namesInFish("(commandline -opc)[3]"))}`);
  }
  for (const [kind, names] of Object.entries(namingCommands))
    for (const name of names) add(conditionOf(name), `-f -a ${quoteFish(namesInFish(kind))}`);
  for (const name of objectCommands)
    add(conditionOf(name), `-f -a ${quoteFish(`(rollcall ${listObjects} 2>/dev/null)`)}`);
  add(conditionOf("join"), `-l from-hub -x -a ${quoteFish(namesInFish("tokens"))}`);
  for (const { name } of commands) {
    const condition = conditionOf(name);
    for (const option of optionsOf(name)) {
      const value = option.choices ? `-x -a ${quoteFish(option.choices.join(" "))}` : "-r";
      const rest = `-d ${quoteFish(option.description)}`;
      add(condition, `-l ${flagOf(option).slice(2)} ${option.kind === "switch" ? "" : `${value} `}${rest}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

function conditionOf(name: string): string {
  return name
    .split(" ")
    .map((word) => `__fish_seen_subcommand_from ${word}`)
    .join("; and ");
}

function namesInFish(kind: string): string {
  return `(rollcall get ${kind} -o "jsonpath={.items[*].metadata.name}" 2>/dev/null | string split " ")`;
}

function quoteFish(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
