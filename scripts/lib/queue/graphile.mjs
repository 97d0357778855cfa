// Prints the jobs per second of graphile_worker: as many tasks add jobs as there are workers, until all jobs are done.
import { createRequire } from "node:module";

const { run } = createRequire(`${process.cwd()}/`)("graphile-worker");
const [connectionString, workers, milliseconds] = process.argv.slice(2);
const concurrency = Number(workers);
let added = 0;
let done = 0;
let finished;
const allDone = new Promise((resolve) => (finished = resolve));
let adding = true;

const quiet = { error() {}, warn() {}, info() {}, debug() {} };
const { Logger } = createRequire(`${process.cwd()}/`)("graphile-worker");
const runner = await run({
  connectionString,
  concurrency,
  maxPoolSize: concurrency * 2 + 2,
  noHandleSignals: true,
  logger: new Logger(() => (level, message) => quiet[level]?.(message)),
  taskList: {
    nothing: async () => {
      done += 1;
      if (!adding && done >= added) finished();
    },
  },
});
const began = performance.now();
const add = async () => {
  while (performance.now() - began < Number(milliseconds)) {
    await runner.addJob("nothing", {});
    added += 1;
  }
};
await Promise.all(Array.from({ length: concurrency }, add));
adding = false;
if (done < added) await allDone;
const seconds = (performance.now() - began) / 1000;
await runner.stop();
console.log((done / seconds).toFixed(2));
process.exit(0);
