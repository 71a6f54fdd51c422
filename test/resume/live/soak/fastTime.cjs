// Loaded before everything else in a worker thread: its time runs `speed` times as fast from `startMs` on. That holds for the
// clock, for timers, and for the times of files, so that everything that compares them sees one time. Reading and computing take
// as long as ever, and therefore seem to take `speed` times as long.
const fs = require('node:fs');
const timers = require('node:timers');
const timersPromises = require('node:timers/promises');
const { syncBuiltinESMExports } = require('node:module');
const { workerData } = require('node:worker_threads');

const { startMs, speed } = workerData;
const startNs = BigInt(startMs) * 1_000_000n;

const toFastMs = (ms) => (ms <= startMs ? ms : startMs + (ms - startMs) * speed);
const toFastNs = (ns) => (ns <= startNs ? ns : startNs + (ns - startNs) * BigInt(speed));

const realNow = Date.now;
Date.now = () => toFastMs(realNow());

for (const name of ['setTimeout', 'setInterval']) {
  const real = timers[name];
  timers[name] = globalThis[name] = (work, ms, ...args) => real(work, (ms ?? 0) / speed, ...args);
}
const realSleep = timersPromises.setTimeout;
timersPromises.setTimeout = (ms, ...args) => realSleep((ms ?? 0) / speed, ...args);

function hasten(stats) {
  if (stats === undefined || stats === null) return stats;
  for (const time of ['atime', 'mtime', 'ctime', 'birthtime']) {
    if (typeof stats[`${time}Ns`] !== 'bigint') {
      stats[`${time}Ms`] = toFastMs(stats[`${time}Ms`]);
      continue;
    }
    const ns = toFastNs(stats[`${time}Ns`]);
    stats[`${time}Ns`] = ns;
    stats[`${time}Ms`] = ns / 1_000_000n;
  }
  return stats;
}

for (const name of ['stat', 'lstat', 'fstat']) {
  const [real, realSync] = [fs[name], fs[`${name}Sync`]];
  fs[name] = (...args) => {
    const done = args.pop();
    real(...args, (error, stats) => done(error, hasten(stats)));
  };
  fs[`${name}Sync`] = (...args) => hasten(realSync(...args));
}
for (const name of ['stat', 'lstat']) {
  const real = fs.promises[name];
  fs.promises[name] = async (...args) => hasten(await real(...args));
}
const realOpen = fs.promises.open;
fs.promises.open = async (...args) => {
  const opened = await realOpen(...args);
  const realStat = opened.stat.bind(opened);
  opened.stat = async (...options) => hasten(await realStat(...options));
  return opened;
};
// The names that ES modules import.
syncBuiltinESMExports();
