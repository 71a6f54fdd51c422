// Loaded into a program before its own code (`node --require`). Counts the calls that change the file system, and ends the
// process with SIGKILL at one of them, before or after it takes effect: RETHREAD_KILL_AT=3 RETHREAD_KILL_WHEN=before. A
// process that ends by itself writes the number of its calls to RETHREAD_CALLS_FILE.
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

const { RETHREAD_KILL_AT, RETHREAD_KILL_WHEN, RETHREAD_CALLS_FILE } = process.env;
const FOR_WRITING = fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT;
const killAt = RETHREAD_KILL_AT === undefined ? -1 : Number(RETHREAD_KILL_AT);
let calls = 0;

function die() {
  process.kill(process.pid, 'SIGKILL');
}

function patch(object, name, isChange = () => true) {
  const real = object[name];
  object[name] = async function (...args) {
    if (!isChange(args)) return real.apply(this, args);
    const isLast = calls++ === killAt;
    if (isLast && RETHREAD_KILL_WHEN === 'before') die();
    try {
      return await real.apply(this, args);
    } finally {
      if (isLast && RETHREAD_KILL_WHEN === 'after') die();
    }
  };
}

/** The hook's program blocks its thread at each call. */
function patchSync(name, isChange = () => true) {
  const real = fs[name];
  fs[name] = function (...args) {
    if (!isChange(args)) return real.apply(this, args);
    const isLast = calls++ === killAt;
    if (isLast && RETHREAD_KILL_WHEN === 'before') die();
    try {
      return real.apply(this, args);
    } finally {
      if (isLast && RETHREAD_KILL_WHEN === 'after') die();
    }
  };
}

const isForWriting = ([, flags]) => typeof flags === 'number' && (flags & FOR_WRITING) !== 0;
for (const name of ['rename', 'link', 'unlink', 'mkdir', 'rmdir', 'utimes', 'copyFile']) patchSync(`${name}Sync`);
for (const name of ['write', 'fsync', 'fchmod', 'fchown', 'futimes', 'chmod']) patchSync(`${name}Sync`);
patchSync('openSync', isForWriting);

const { promises } = fs;
for (const name of ['rename', 'link', 'unlink', 'mkdir', 'rmdir', 'utimes', 'copyFile', 'chmod']) patch(promises, name);
patch(promises, 'open', isForWriting);

// The class of the open files is only known from one of them.
const { open } = promises;
let isPatched = false;
promises.open = async function (...args) {
  const file = await open.apply(this, args);
  if (!isPatched) {
    isPatched = true;
    for (const name of ['write', 'sync', 'chmod', 'chown', 'utimes']) patch(Object.getPrototypeOf(file), name);
  }
  return file;
};
syncBuiltinESMExports();

process.on('exit', () => {
  if (RETHREAD_CALLS_FILE !== undefined) fs.writeFileSync(RETHREAD_CALLS_FILE, String(calls));
});
