import { readFileSync } from "node:fs";
import { join } from "node:path";

const columns = 124;
const rows = 40;
const keySeconds = 0.05;
const screens = "test/e2e/golden/terminal";

/** What is shown, in this order: a sentence, then a screen that test/e2e/terminal.test.ts accepts. */
const scenes = [
  { say: "A hub, a git repository and three clusters on this machine:", screen: "up", typed: "rollcall up" },
  { say: "The fleet, in one table:", screen: "status" },
  { say: "One cluster, explained:", screen: "status-of-a-cluster" },
  { say: "A label was changed in its file. What differs from the hub?", screen: "diff" },
  { say: "What would merging the branch do?", screen: "plan" },
  { say: "A typo is found before it is pushed:", screen: "validate" },
  { say: "And every field is explained:", screen: "explain" },
];

/** For the words that the screens have in place of what differs from run to run. */
const examples = [
  ["FOLDER/", ""],
  ["FOLDER", "."],
  ["PORT", "8443"],
  ["COMMIT", "3be27704fa5d"],
  ["node PROGRAM", "rollcall"],
  ["TIME", "2026-03-12T14:30:00Z"],
  ["AGE", "12s"],
  ["X.Y.Z", "0.1.0"],
];

/** docs/tour.cast: two minutes at the terminal, as a recording in asciinema's format, version 2. */
export function renderTour(root) {
  const events = [];
  let seconds = 1;
  const write = (text) => events.push([Number(seconds.toFixed(2)), "o", text]);
  const type = (text) => {
    for (const key of text) {
      write(key);
      seconds += keySeconds;
    }
  };
  for (const { say, screen, typed } of scenes) {
    const shown = readScreen(root, screen);
    write(`\u001b[2J\u001b[H\u001b[1m# ${say}\u001b[0m\r\n\r\n$ `);
    seconds += 1.2;
    type(typed ?? shown.command);
    seconds += 0.5;
    write(`\r\n${shown.lines.join("\r\n")}\r\n`);
    seconds += Math.min(20, 5 + shown.lines.length * 0.7);
  }
  write("$ ");
  const header = { version: 2, width: columns, height: rows, title: "Rollcall: a fleet of clusters as files in git" };
  return `${[header, ...events].map((line) => JSON.stringify(line)).join("\n")}\n`;
}

function readScreen(root, name) {
  let text = readFileSync(join(root, screens, `${name}.txt`), "utf8");
  for (const [word, example] of examples) text = text.replaceAll(word, example);
  const lines = text.trimEnd().split("\n");
  const isCommand = lines[0].startsWith("$ ");
  return {
    command: isCommand ? lines[0].slice(2) : "",
    lines: lines.slice(isCommand ? 1 : 0).filter((line) => !line.startsWith("[exit code")),
  };
}
