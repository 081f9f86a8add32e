import { startWatchdog } from "../../fuzz/watchdog.ts";

// Tries one input that never ends: it holds the loop, or waits.
const [file = "", how = ""] = process.argv.slice(2);
const watchdog = startWatchdog({ file, mostCpuMs: 500, mostWaitMs: 1500 });
watchdog.begin({ form: "json", bytes: Buffer.from("planted") });
if (how === "holds") for (;;);
setInterval(() => undefined, 1000);
