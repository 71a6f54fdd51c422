// The start of the program of the hook, which Claude waits for before each edit. To compile the program takes longer than all that it
// does, so the first run keeps what V8 has compiled beside the program, for the next ones.
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { Script } from 'node:vm';

/** The rest of the program, `hookProgram.ts`, which the build puts before this. */
declare const runHook: (
  exports: object,
  require: NodeJS.Require,
  module: HookModule,
  name: string,
  folder: string,
) => void;
/** Of the text of `runHook`. V8 itself compares only its length. */
declare const __HOOK_HASH__: string;

interface HookModule {
  exports: { readonly hasKeptCopy?: () => boolean };
}

const PREFIX = `${basename(__filename)}.`;
const SUFFIX = '.cache';
const UNFINISHED_SUFFIX = '.tmp';
/** Of this program. Another runtime, such as that of an updated VS Code, has another. */
const OWN = `${PREFIX}${__HOOK_HASH__}-`;
const CACHE_NAME = `${OWN}${process.versions.v8}-${process.arch}-${identifyRuntime()}${SUFFIX}`;
const CACHE = join(__dirname, CACHE_NAME);
/** Ends the file. V8 takes what another build has compiled for its own, and crashes. */
const SEAL = Buffer.from(CACHE_NAME);

function start(): void {
  const script = compile();
  const module: HookModule = { exports: {} };
  if (script === null) {
    runHook(module.exports, require, module, __filename, __dirname);
    return;
  }
  if (script.cachedDataRejected !== false)
    process.once('exit', () => {
      // A run that has kept a copy has compiled everything that is usually needed.
      if (module.exports.hasKeptCopy?.() === true) keep(script);
    });
  // SAFETY: its text.
  const run = script.runInThisContext() as typeof runHook;
  run(module.exports, require, module, __filename, __dirname);
}

/** Two builds of one version of V8, such as those of Node's site and of a distribution, differ in it. */
function identifyRuntime(): string {
  try {
    const { size, mtimeMs } = statSync(process.execPath);
    return [size, Math.floor(mtimeMs)].map((number) => number.toString(36)).join('.');
  } catch {
    return '';
  }
}

/** Null if V8 does not take the text. */
function compile(): Script | null {
  const cachedData = readKept();
  try {
    return new Script(`(${runHook.toString()})`, { filename: __filename, ...(cachedData && { cachedData }) });
  } catch {
    return null;
  }
}

/** Null if there is none, or it is damaged. */
function readKept(): Buffer | null {
  try {
    const file = readFileSync(CACHE);
    const bytes = file.subarray(0, -SEAL.length);
    if (bytes.length === 0 || !file.subarray(bytes.length).equals(SEAL)) return null;
    const [one, other] = [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)];
    return one.equals(other) ? one : null;
  } catch {
    return null;
  }
}

/** Never throws: the next run compiles the program again. */
function keep(script: Script): void {
  const unfinished = `${CACHE}.${process.pid}${UNFINISHED_SUFFIX}`;
  try {
    // Where nobody may write, nothing is made.
    const file = openSync(unfinished, 'wx', 0o600);
    try {
      const data = script.createCachedData();
      // Twice, because V8 crashes on code that is damaged, and no checksum of it is as quick as a comparison.
      writeFileSync(file, Buffer.concat([data, data, SEAL]));
      // A power failure must not leave half of it under its name.
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, CACHE);
    removeOthers();
  } catch {
    remove(unfinished);
  }
}

/** Removes what earlier versions of the program, and runs that were killed, have left. */
function removeOthers(): void {
  for (const name of readdirSync(__dirname)) {
    if (!name.startsWith(PREFIX)) continue;
    const isOfOther = name.endsWith(SUFFIX) && !name.startsWith(OWN);
    if (isOfOther || name.endsWith(UNFINISHED_SUFFIX)) remove(join(__dirname, name));
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is gone, or stays.
  }
}

start();
