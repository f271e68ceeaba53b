#!/usr/bin/env node
// Starts the program of the optional package for this machine, with the same arguments, streams and environment, and ends as
// it ends: with its exit code, or by the signal that ended it.

"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const name = "@skillpm/cli";
const { version, optionalDependencies } = require("../package.json");

/** The path of the program; ends with an error if npm did not install its package. */
function findProgram() {
  const platform = `${name}-${process.platform}-${process.arch}`;
  if (!(platform in optionalDependencies)) {
    const known = Object.keys(optionalDependencies).map((one) => one.slice(name.length + 1));
    fail(
      `no program for ${process.platform} on ${process.arch}; there is one for ${known.join(", ")}`,
      "build it: cargo install --locked skillpm",
    );
  }
  const program = process.platform === "win32" ? "skillpm.exe" : "skillpm";
  try {
    return require.resolve(`${platform}/bin/${program}`);
  } catch {
    fail(
      `package \`${platform}\` not found beside \`${name}\` in ${__dirname}\n` +
        "  npm omits optional packages with --omit=optional, and those of another machine in a copied node_modules",
      `npm install --include=optional ${name}@${version}`,
    );
  }
}

function fail(message, help) {
  process.stderr.write(`error: ${message}\nhelp: ${help}\n`);
  process.exit(1);
}

function run() {
  const program = findProgram();
  let child;

  // Before the program is started, so that no signal ends this process alone. A terminal sends these two to the program as
  // well, which decides; this process ends when the program does.
  for (const signal of ["SIGINT", "SIGQUIT"]) {
    process.on(signal, () => process.stdin.isTTY || child.kill(signal));
  }
  for (const signal of ["SIGTERM", "SIGHUP", "SIGUSR2"]) {
    process.on(signal, () => child.kill(signal));
  }

  // A handler is called when this function has returned.
  child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
  child.on("error", (error) => fail(`failed to start \`${program}\`\n  caused by: ${error.message}`, `npm install --force ${name}@${version}`));
  child.on("exit", (code, signal) => {
    if (signal === null) {
      process.exit(code);
    }
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // Where the signal does not end this process, as on Windows: what a shell reports for it.
    setTimeout(() => process.exit(128 + (constants.signals[signal] ?? 1)), 100);
  });
}

run();
