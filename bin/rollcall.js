#!/usr/bin/env node
// CommonJS in old syntax: a Node.js that is too old must be able to read it, to say that it is too old.
"use strict";

var needed = [20, 19];

start();

function start() {
  var found = process.versions.node.split(".").map(Number);
  if (found[0] < needed[0] || (found[0] === needed[0] && found[1] < needed[1])) {
    return fail(
      "Node.js " +
        needed.join(".") +
        " or later is needed, this is " +
        process.versions.node +
        ". Install a newer one: https://nodejs.org/",
    );
  }
  var enableCompileCache = require("module").enableCompileCache;
  // Where Node.js can (from 22 on), compiled code is kept for the next start.
  if (enableCompileCache) enableCompileCache();
  var main = require("path").join(__dirname, "../dist/main.js");
  if (!require("fs").existsSync(main)) return fail("this checkout is not built. Run `npm ci` in its folder.");
  return import("../dist/main.js");
}

function fail(message) {
  process.stderr.write("rollcall: " + message + "\n");
  process.exitCode = 1;
}
