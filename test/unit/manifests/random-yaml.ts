/** What is drawn from: numbers in [0, 1). */
type Random = () => number;

interface Writer {
  readonly random: Random;
  readonly lines: string[];
  /** Anchors whose values are complete, with the number of values that an alias of each expands to. */
  readonly anchors: Map<string, number>;
  /** Values that aliases may still expand to. */
  aliasNodes: number;
  /** The lines end with a block scalar: only the parser reads a comment, spaces or the end of the file behind it. */
  isBehindBlockText: boolean;
}

const keys = [
  "a",
  "b",
  "key",
  "app.kubernetes.io/name",
  "_x",
  "A-1",
  '"q r: s"',
  "'t # u'",
  '""',
  "yesterday",
  "trueish",
];
const flowKeys = ["a", "b", "key", "app.kubernetes.io/name", "_x", "A-1", "nothing"];
const inQuotes = ['"q # r"', "'s: t'", '""', "''", '"it\'s"', "'say \"x\"'", "'a\\b'", '"yes"', '"1"', "'[a]'"];
const plains = [
  "b",
  "x y",
  "0",
  "1",
  "42",
  "999999999999999",
  "true",
  "false",
  "null",
  "1.31.2",
  "5m",
  "1h30m",
  "10.0.0.1",
];
const words = ["yesno", "nullable", "offer", "/etc/a", "_u", "e-1", "a+b", "a=b", "a@b", "f(x)", "Z", "7d", "1-2"];
const blockPlains = [
  "~",
  "é",
  "a:b",
  "a#b",
  "https://example.com:6443/x#y",
  "a, b",
  "a]",
  "x {y}",
  'a "b"',
  "a & b",
  "a%",
];

/** YAML of one to three documents that keeps to what `scanSimpleYaml` reads, laid out in many ways. */
export function randomSimpleYaml(random: Random): string {
  const writer: Writer = { random, lines: [], anchors: new Map(), aliasNodes: 0, isBehindBlockText: false };
  const count = 1 + below(random, 3);
  for (let index = 0; index < count; index++) {
    if (index > 0 || chance(random, 3)) writer.lines.push(`---${tail(writer)}`);
    writer.anchors.clear();
    writer.aliasNodes = 25;
    writeRoot(writer);
  }
  const text = writer.lines.join("\n");
  // What is behind an empty document at the end has its line end: else only the parser knows where the document is.
  const isEnded = writer.isBehindBlockText || writer.lines.at(-1) === "# nothing";
  return chance(random, 8) && !isEnded ? text : `${text}\n`;
}

const pieces = [
  ..."\n\n\n    --:::,[]{}#&*'\"~01ay".split(""),
  ...[
    "\n  ",
    "\n- ",
    "  ",
    ": ",
    " #",
    " # c",
    "---\n",
    "\n---",
    "&x ",
    "*x",
    "*a",
    "a: ",
    "b: 1",
    "\n\n",
    "yes",
    "1_0",
    "0x1",
    "1e3",
  ],
  ...[
    "\\",
    "|",
    ">",
    "!",
    "%",
    "@",
    "?",
    "? ",
    "...",
    "<<: ",
    "__proto__: ",
    "-1",
    ".5",
    "\t",
    "\r\n",
    "\u0085",
    "\u00a0",
    "\ufeff",
  ],
];

/** The text with one to three places changed: characters removed, and pieces put in that mean something to YAML. */
export function withRandomChanges(text: string, random: Random): string {
  let changed = text;
  for (let count = 1 + below(random, 3); count > 0; count--) {
    const at = below(random, changed.length + 1);
    const removed = below(random, 3);
    const piece = chance(random, 4) ? "" : pickFrom(pieces, random);
    changed = changed.slice(0, at) + piece + changed.slice(at + removed);
  }
  return changed;
}

function writeRoot(writer: Writer): void {
  const { random, lines } = writer;
  writer.isBehindBlockText = false;
  const kind = below(random, 8);
  if (kind === 0 && lines.at(-1)?.startsWith("---") === true) lines.push("# nothing");
  else if (kind === 1) lines.push(`${scalar(writer, true)}${tail(writer)}`);
  else if (kind === 2) lines.push(`${flow(writer, 2).text}${tail(writer)}`);
  else if (kind === 3) writeList(writer, " ".repeat(below(random, 3)), 3);
  else writeMap(writer, " ".repeat(chance(random, 5) ? 2 : 0), 3);
}

/** Both return the number of values. The first line may begin within a line that is there already. */
function writeMap(writer: Writer, indent: string, depth: number, start = indent): number {
  let nodes = 1;
  const names = shuffled(keys, writer.random).slice(0, 1 + below(writer.random, 3));
  for (const [index, name] of names.entries()) {
    nodes += writeValue(writer, `${index === 0 ? start : indent}${name}:`, { indent, depth, isOfKey: true });
  }
  return nodes;
}

function writeList(writer: Writer, indent: string, depth: number): number {
  const { random } = writer;
  let nodes = 1;
  for (let count = 1 + below(random, 3); count > 0; count--) {
    if (depth > 0 && chance(random, 3)) {
      const gap = " ".repeat(1 + below(random, 3));
      nodes += writeMap(writer, `${indent} ${gap}`, depth - 1, `${indent}-${gap}`);
    } else {
      nodes += writeValue(writer, `${indent}-`, { indent, depth, isOfKey: false });
    }
  }
  return nodes;
}

interface Place {
  readonly indent: string;
  readonly depth: number;
  readonly isOfKey: boolean;
}

function writeValue(writer: Writer, start: string, place: Place): number {
  const { random, lines, anchors } = writer;
  const kind = below(random, 10);
  const gap = " ".repeat(1 + below(random, 2));
  if (chance(random, 8) && !writer.isBehindBlockText) {
    lines.push(pickFrom(["", "   ", "# c", "      # c", "#"], random));
  }
  writer.isBehindBlockText = false;
  if (kind === 0) {
    lines.push(`${start}${tail(writer)}`);
    return 1;
  }
  const name = alias(writer);
  if (kind === 1 && name !== undefined) {
    lines.push(`${start}${gap}*${name}${tail(writer)}`);
    return anchors.get(name) ?? 1;
  }
  const anchor = chance(random, 5) ? pickFrom(["x", "y-1", "_z"], random) : undefined;
  if (anchor !== undefined) anchors.delete(anchor);
  const head = anchor === undefined ? start : `${start}${gap}&${anchor}`;
  const nodes = writeUnaliased(writer, head, { ...place, kind, gap, isAnchored: anchor !== undefined });
  if (anchor !== undefined) anchors.set(anchor, nodes);
  return nodes;
}

function writeUnaliased(
  writer: Writer,
  head: string,
  { indent, depth, isOfKey, isAnchored, kind, gap }: Place & { isAnchored: boolean; kind: number; gap: string },
): number {
  const { random, lines } = writer;
  if (depth > 0 && kind > 6) {
    lines.push(`${head}${tail(writer)}`);
    const isInColumn = isOfKey && !isAnchored && chance(random, 2);
    const deeper = indent + " ".repeat(1 + below(random, 3));
    if (isInColumn) return writeList(writer, indent, depth - 1);
    return kind === 7 ? writeList(writer, deeper, depth - 1) : writeMap(writer, deeper, depth - 1);
  }
  if (kind === 5 && !isAnchored && chance(random, 2)) {
    lines.push(`${head}${gap}${pickFrom(["|", "|-", ">", ">-"], random)}${pickFrom(["", "", " "], random)}`);
    writeBlockText(writer, indent + " ".repeat(1 + below(random, 3)));
    return 1;
  }
  const { text, nodes } = kind === 6 ? flow(writer, 2) : { text: scalar(writer, true), nodes: 1 };
  lines.push(`${head}${gap}${text}${tail(writer)}`);
  return nodes;
}

const blockLines = ["text", "# d", "- e", "f: g", "---", "&h |", "'i", "\\\\n", 'é "j"'];

/** Lines of a block scalar, blank ones between them and behind. */
function writeBlockText(writer: Writer, indent: string): void {
  const { random, lines } = writer;
  for (let count = 1 + below(random, 4); count > 0; count--) {
    lines.push(`${indent}${pickFrom(blockLines, random)}`);
    if (chance(random, 4)) lines.push(...["", ""].slice(below(random, 2)));
  }
  writer.isBehindBlockText = true;
}

function flow(writer: Writer, depth: number): { text: string; nodes: number } {
  const { random } = writer;
  const space = (): string => (chance(random, 3) ? " " : "");
  const names = shuffled(flowKeys, random);
  const isMap = chance(random, 2);
  let nodes = 1;
  const items = Array.from({ length: below(random, 4) }, (_, index) => {
    const item = flowItem(writer, depth);
    nodes += item.nodes;
    return `${isMap ? `${names[index] ?? ""}: ${space()}` : ""}${item.text}${space()}`;
  });
  const inner = `${space()}${items.join(`,${chance(random, 4) ? "" : " "}`)}`;
  return { text: isMap ? `{${inner}}` : `[${inner}]`, nodes };
}

function flowItem(writer: Writer, depth: number): { text: string; nodes: number } {
  const { random, anchors } = writer;
  const name = chance(random, 6) ? alias(writer) : undefined;
  if (name !== undefined) return { text: `*${name}`, nodes: anchors.get(name) ?? 1 };
  const anchor = chance(random, 8) ? pickFrom(["x", "f"], random) : undefined;
  if (anchor !== undefined) anchors.delete(anchor);
  const item = depth > 0 && chance(random, 4) ? flow(writer, depth - 1) : { text: scalar(writer, false), nodes: 1 };
  if (anchor === undefined) return item;
  anchors.set(anchor, item.nodes);
  return { text: `&${anchor} ${item.text}`, nodes: item.nodes };
}

/** An anchor whose value is complete and small enough, which is used up then. */
function alias(writer: Writer): string | undefined {
  const name = pickFrom([...writer.anchors.keys(), "none"], writer.random);
  const nodes = writer.anchors.get(name) ?? Number.POSITIVE_INFINITY;
  if (nodes > writer.aliasNodes) return undefined;
  writer.aliasNodes -= nodes;
  return name;
}

function scalar({ random }: Writer, isInBlock: boolean): string {
  return pickFrom([...inQuotes, ...plains, ...words, ...(isInBlock ? blockPlains : [])], random);
}

/** What may be behind the content of a line. */
function tail({ random }: Writer): string {
  return chance(random, 4) ? pickFrom([" ", "   ", " # c", "  # 'd: [", " #"], random) : "";
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((left, right) => left.rank - right.rank)
    .map(({ item }) => item);
}

function pickFrom<T>(items: readonly [T, ...T[]] | readonly T[], random: Random): T {
  return items[below(random, items.length)] as T;
}

function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}

function chance(random: Random, oneIn: number): boolean {
  return below(random, oneIn) === 0;
}
