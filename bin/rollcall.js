#!/usr/bin/env node
import module from "node:module";

// Where Node.js can (from 22 on), compiled code is kept for the next start.
module.enableCompileCache?.();
await import("../dist/main.js");
